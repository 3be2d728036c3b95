// Choices: the bytes of an input read as decisions, so that a fuzzer that changes bytes changes what a file
// means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace likely::fuzz {

class Choices {
 public:
  explicit Choices(std::string_view bytes) : bytes_(bytes) {}

  // 0 ... n - 1; 0 once the input is used up, so that short inputs mean small files.
  std::size_t below(std::size_t n);
  // Seldom.
  bool one_in(std::size_t n) { return below(n) == n - 1; }
  template <class T>
  T pick(std::initializer_list<T> from) {
    return from.begin()[below(from.size())];
  }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }
  // Any byte, as it is.
  char byte() { return static_cast<char>(below(256)); }

  // Whole numbers: mostly small, else where counts and products overflow.
  std::int64_t whole();
  // Numbers: ordinary, tiny, huge, not finite.
  double number();
  // The same as people write them, and as they should not.
  std::string number_text();
  // A name: ordinary, empty, long, with quotes, separators, escapes, control characters or broken UTF-8.
  std::string word();
  // A name, or one of those.
  std::string word_of(const std::vector<std::string>& known) { return one_in(8) ? word() : pick(known); }

 private:
  std::string_view bytes_;
  std::size_t place_ = 0;
};

}  // namespace likely::fuzz
