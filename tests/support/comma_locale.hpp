// A locale with a decimal comma, in C's functions and in C++'s streams.
#pragma once

#include <locale>
#include <string>

#include "tests/support/temporary_folder.hpp"

namespace likely::testing {

// In force until it is destroyed. Where none is installed one is made (localedef) in a folder of its own.
class CommaLocale {
 public:
  CommaLocale();
  ~CommaLocale();
  CommaLocale(const CommaLocale&) = delete;
  CommaLocale& operator=(const CommaLocale&) = delete;

  // Whether C's functions have the comma; false only where localedef is missing or has nothing to make one
  // of.
  bool in_c() const { return in_c_; }

 private:
  TemporaryFolder folder_;
  std::locale before_;
  std::string c_before_;
  bool in_c_ = false;
};

}  // namespace likely::testing
