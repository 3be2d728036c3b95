#include "likely/io/windows_1252.hpp"

#include <array>
#include <cstdint>

namespace likely::io {

namespace {

// Of the bytes 0x80 to 0x9F; all others are their own codes.
constexpr std::array<std::uint16_t, 32> kCodes{
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};

}  // namespace

void append_windows_1252(std::string_view text, std::string& utf8) {
  for (const char c : text) {
    const unsigned byte = static_cast<unsigned char>(c);
    const unsigned code = byte >= 0x80 && byte < 0xA0 ? kCodes[byte - 0x80] : byte;
    if (code < 0x80) {
      utf8 += c;
      continue;
    }
    if (code < 0x800) {
      utf8 += static_cast<char>(0xC0U | code >> 6);
    } else {
      utf8 += static_cast<char>(0xE0U | code >> 12);
      utf8 += static_cast<char>(0x80U | (code >> 6 & 0x3FU));
    }
    utf8 += static_cast<char>(0x80U | (code & 0x3FU));
  }
}

}  // namespace likely::io
