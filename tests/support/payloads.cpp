#include "tests/support/payloads.hpp"

#include <cstdlib>

namespace likely::testing {

const std::vector<std::string>& payloads() {
  static const std::vector<std::string> all{
      "|pwned",
      "|pwned #",
      "< pwned",
      "<pwned",
      "\"; system(\"pwned\"); print \"",
      "'; system('pwned'); print '",
      "''; system('pwned'); print ''",
      "'''' ''''",
      "it''s \"\"quoted\"\"",
      "`pwned`",
      "\"`pwned`\"",
      "'`pwned`'",
      "$(pwned)",
      "@pwned",
      "@ARG1 @GPVAL_TERM",
      "!pwned",
      "; !pwned",
      "\n!pwned\n",
      "a\n!pwned",
      "\r\n!pwned\r\n",
      "EOD",
      "\nEOD\nsystem(\"pwned\")\n$d << EOD\n",
      "\\",
      "ends in \\",
      "\\\n!pwned",
      "\\\"; system('pwned') #",
      "\\047; system('pwned') #",
      "%s%n%d %*s 100 %",
      "%g %% %",
      "{/Symbol a}_{b}^{c} @{x} &{y} ~a{b}",
      "{",
      "}",
      "# no comment",
      "-e",
      "--help",
      "-",
      "$d0_0",
      "Größe 体重 😀",
      "</text><script>alert(1)</script>&amp;",
      "\x1b]0;title\x07\x1b[2J",
      "\xff\xfe no text \x80",
      "1e999",
      "7'7\"7`7\\7",
      " ",
      std::string("before\0after", 12),
      std::string(10'000, 'x'),
      std::string(10'000, '\''),
  };
  return all;
}

ProgramsFirst::ProgramsFirst() {
  const char* path = std::getenv("PATH");
  before_ = path == nullptr ? "" : path;
  setenv("PATH", (folder_.path().string() + ":" + before_).c_str(), 1);
}

ProgramsFirst::~ProgramsFirst() { setenv("PATH", before_.c_str(), 1); }

void ProgramsFirst::add(const std::string& name, const std::string& script) {
  const std::filesystem::path file = folder_ / name;
  write_bytes(file, "#!/bin/sh\n" + script + "\n");
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
}

}  // namespace likely::testing
