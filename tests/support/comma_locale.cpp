#include "tests/support/comma_locale.hpp"

#include <clocale>
#include <cstdlib>

namespace likely::testing {

namespace {

struct Point : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

// As localedef reads it. A whole language would take seconds to make.
constexpr const char* kSource = R"(LC_CTYPE
copy "POSIX"
END LC_CTYPE
LC_NUMERIC
decimal_point ","
thousands_sep "."
grouping 3;3
END LC_NUMERIC
)";

bool choose(const char* name) {
  return std::setlocale(LC_ALL, name) != nullptr && std::string(std::localeconv()->decimal_point) == ",";
}

}  // namespace

CommaLocale::CommaLocale() : c_before_(std::setlocale(LC_ALL, nullptr)) {
  before_ = std::locale::global(std::locale(std::locale::classic(), new Point));
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "pt_BR.UTF-8", "de_DE"}) {
    in_c_ = in_c_ || choose(name);
  }
  if (in_c_) return;
  // It warns of what is missing in the source, and does it all the same (-c).
  write_bytes(folder_ / "source", kSource);
  const std::string folder = folder_.path().string();
  const std::string line =
      "localedef -c -i " + folder + "/source -f ANSI_X3.4-1968 " + folder + "/comma > /dev/null 2>&1";
  const int ended = std::system(line.c_str());
  setenv("LOCPATH", folder.c_str(), 1);
  in_c_ = ended != -1 && choose("comma");
  unsetenv("LOCPATH");
}

CommaLocale::~CommaLocale() {
  std::locale::global(before_);
  std::setlocale(LC_ALL, c_before_.c_str());
}

}  // namespace likely::testing
