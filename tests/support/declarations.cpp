#include "tests/support/declarations.hpp"

#include <cctype>
#include <fstream>
#include <regex>
#include <sstream>

namespace likely::testing {

namespace {

std::string trimmed(const std::string& text) {
  std::istringstream words(text);
  std::string result;
  for (std::string word; words >> word;) result += (result.empty() ? "" : " ") + word;
  return result;
}

void erase_all(std::string& text, const std::string& part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part))
    text.erase(at, part.size());
}

// "const std::vector<Tensor>& parts = {}" is "vector<Tensor>".
std::string type_of_argument(std::string argument) {
  argument = argument.substr(0, argument.find('='));
  for (const char* part : {"std::", "kernels::", "&"}) erase_all(argument, part);
  argument = trimmed(argument);
  if (argument.starts_with("const ")) argument.erase(0, 6);
  const std::size_t name = argument.find_last_of(' ');
  if (name != std::string::npos && argument.find('>', name) == std::string::npos) argument.erase(name);
  // Plain numbers of any kind.
  return argument == "double" || argument == "PlainNumber" ? "number" : argument;
}

// Without "template <class Model>" in front.
std::string without_template(const std::string& declaration) {
  if (!declaration.starts_with("template")) return declaration;
  int depth = 0;
  for (std::size_t i = 0; i < declaration.size(); ++i) {
    depth += declaration[i] == '<' ? 1 : declaration[i] == '>' ? -1 : 0;
    if (declaration[i] == '>' && depth == 0) return trimmed(declaration.substr(i + 1));
  }
  return declaration;
}

// "Tensor add(const Tensor& a, double number)" is "add(Tensor, number)"; nothing for what is no function.
std::string signature(const std::string& whole, const std::string& owner) {
  const std::string declaration = owner.empty() ? whole : without_template(whole);
  const std::size_t open = declaration.find('(', declaration.starts_with("operator()") ? 10 : 0);
  if (open == std::string::npos) return "";
  const std::string front = trimmed(declaration.substr(0, open));
  for (const char* other : {"using ", "static_assert", "template", "explicit "}) {
    if (front.starts_with(other)) return "";
  }
  const std::size_t place =
      front.find("operator") != std::string::npos ? front.find("operator") : front.find_last_of(" &*") + 1;
  const std::string name = front.substr(place);
  // Constructors, and what only says that another function may look inside.
  if (name == owner || front.find(owner + "::") != std::string::npos) return "";
  if (front.starts_with("friend ") && front.find("operator") == std::string::npos) return "";
  if (!std::isalpha(name[0])) return "";
  std::string arguments;
  int depth = 0;
  std::string current;
  for (std::size_t i = open + 1; i < declaration.size(); ++i) {
    const char c = declaration[i];
    if (c == ')' && depth == 0) break;
    if (c == '<' || c == '(' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == '}') --depth;
    if (c == ',' && depth == 0) {
      arguments += (arguments.empty() ? "" : ", ") + type_of_argument(current);
      current.clear();
    } else {
      current += c;
    }
  }
  if (!trimmed(current).empty()) arguments += (arguments.empty() ? "" : ", ") + type_of_argument(current);
  const bool member = !owner.empty() && !front.starts_with("friend ");
  return (member ? owner + "::" : "") + name + "(" + arguments + ")";
}

// Walks the declarations of a namespace or of a class; bodies of functions are skipped.
class Reader {
 public:
  Reader(const std::string& text, std::set<std::string>& found) : text_(text), found_(found) {}
  void read() { scope("", false, true); }

 private:
  // Whether what is declared here counts: in likely, not in likely::detail, not private.
  void scope(const std::string& owner, bool hidden, bool visible) {
    std::string declaration;
    int round = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '(') ++round;
      if (c == ')') --round;
      if (round > 0 || (c != ';' && c != '{' && c != '}' && c != ':')) {
        declaration += c;
      } else if (c == ':') {
        const std::string word = trimmed(declaration);
        if (word == "public" || word == "private" || word == "protected") {
          visible = word == "public";
          declaration.clear();
        } else {
          declaration += c;
        }
      } else if (c == '}') {
        return;
      } else {
        const std::string word = trimmed(declaration);
        declaration.clear();
        if (c == ';') {
          if (visible && !hidden) keep(word, owner);
          continue;
        }
        ++at_;
        open(word, owner, hidden || !visible);
      }
    }
  }

  void open(const std::string& declaration, const std::string& owner, bool hidden) {
    const std::string word = without_template(declaration);
    if (word.starts_with("namespace")) {
      scope("", hidden || word.find("detail") != std::string::npos, true);
    } else if (word.starts_with("class ") || word.starts_with("struct ")) {
      std::istringstream words(word.substr(0, word.find(':')));
      std::string kind, name;
      words >> kind >> name;
      scope(name, hidden, kind == "struct");
    } else {
      if (!hidden && word.find('(') != std::string::npos) keep(word, owner);
      skip_braces();
    }
  }

  void skip_braces() {
    for (int depth = 1; at_ < text_.size(); ++at_) {
      depth += text_[at_] == '{' ? 1 : text_[at_] == '}' ? -1 : 0;
      if (depth == 0) return;
    }
  }

  void keep(const std::string& declaration, const std::string& owner) {
    const std::string function = signature(declaration, owner);
    if (!function.empty()) found_.insert(function);
  }

  const std::string& text_;
  std::set<std::string>& found_;
  std::size_t at_ = 0;
};

}  // namespace

std::string without_comments(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string text;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    text += line.substr(0, line.find("//")) + "\n";
  }
  return text;
}

std::set<std::string> declared_functions(const std::string& text) {
  // It ends without a semicolon.
  static const std::regex kParts(R"(LIKELY_PARTS\([^)]*\))");
  const std::string whole = std::regex_replace(text, kParts, "");
  std::set<std::string> found;
  Reader(whole, found).read();
  return found;
}

std::set<std::string> declared_functions_in(const std::filesystem::path& folder) {
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".hpp") found.merge(declared_functions(without_comments(entry.path())));
  }
  return found;
}

}  // namespace likely::testing
