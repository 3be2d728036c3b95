#include "tests/fuzz/choices.hpp"

#include <fmt/format.h>

#include <limits>

namespace likely::fuzz {

using namespace std::string_literals;

std::size_t Choices::below(std::size_t n) {
  std::size_t number = 0;
  for (std::size_t range = 1; range < n; range *= 256) {
    const std::size_t next = place_ < bytes_.size() ? static_cast<unsigned char>(bytes_[place_++]) : 0;
    number = number * 256 + next;
  }
  return n == 0 ? 0 : number % n;
}

std::int64_t Choices::whole() {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  switch (below(4)) {
    case 0: return static_cast<std::int64_t>(below(5));
    case 1: return static_cast<std::int64_t>(below(256)) - 128;
    case 2:
      return pick<std::int64_t>({kMost, kLeast, kMost - 1, -1, 1LL << 31, 1LL << 32, (1LL << 32) - 1,
                                 1LL << 61, 1LL << 62, 1LL << 53, (1LL << 53) + 1, 1LL << 20, 65536, 65535});
    default: return static_cast<std::int64_t>(1) << below(63);
  }
}

double Choices::number() {
  using Limits = std::numeric_limits<double>;
  switch (below(4)) {
    case 0: return static_cast<double>(below(256)) / 16.0 - 8.0;
    case 1:
      return pick({0.0, -0.0, 1.0, -1.0, Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),
                   Limits::max(), -Limits::max(), Limits::denorm_min(), Limits::min(), 1e160, 1e-160, 1e38,
                   3.5e38, 1e-46, 1e15, 1e19});
    case 2: return static_cast<double>(whole());
    default: return static_cast<double>(below(65536)) * pick({1.0, 1e-9, 1e9, -1.0, 1e100});
  }
}

std::string Choices::number_text() {
  switch (below(4)) {
    case 0: return fmt::format("{}", number());
    case 1: return fmt::format("{}", whole());
    case 2: return fmt::format("{}", static_cast<int>(below(7)));
    default:
      return pick({"1e999",
                   "-1e999",
                   "1e-999",
                   "0x10",
                   "1,5",
                   "+3",
                   "--3",
                   " 7 ",
                   "1e",
                   ".",
                   "-",
                   "NaN",
                   "inf",
                   "NA",
                   "",
                   "00012",
                   "1e5",
                   "9223372036854775808",
                   "-9223372036854775809",
                   "18446744073709551616",
                   "0.1000000000000000055511151231257827021181583404541015625",
                   "1_000",
                   "1\0002",
                   "\xd9\xa3",
                   "nan(0)"});
  }
}

std::string Choices::word() {
  switch (below(6)) {
    case 0: return std::string(1, static_cast<char>('a' + below(26)));
    case 1: return fmt::format("w{}", below(256));
    case 2: return std::string(1 + below(300), byte());
    case 3: {
      std::string text;
      for (std::size_t left = below(12); left > 0; --left) text += byte();
      return text;
    }
    default:
      return pick({""s,
                   "\""s,
                   "\"\""s,
                   "'"s,
                   "a,b"s,
                   "a;b"s,
                   "a\tb"s,
                   "a\nb"s,
                   "a\r\nb"s,
                   "a\0b"s,
                   "%s%n"s,
                   "\\"s,
                   "../up"s,
                   "/etc"s,
                   "\x1b[31mred"s,
                   "\xff\xfe"s,
                   "\xc3\x28"s,
                   "\xe2\x80\xae"s,
                   "\xf0\x9f\x98\x80"s,
                   "|touch x"s,
                   "$(x)"s,
                   "`x`"s,
                   "-rf"s,
                   "--help"s,
                   "weight"s,
                   "__metadata__"s,
                   "null"s,
                   "true"s,
                   "1"s,
                   "-1"s,
                   "."s,
                   ".."s,
                   "*"s,
                   " "s,
                   "nan"s,
                   "a=b"s,
                   "a.b.c"s,
                   "a+b"s});
  }
}

}  // namespace likely::fuzz
