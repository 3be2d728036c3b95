// Every function that likely/ops declares is in a table of this folder, so that a new one cannot be
// forgotten.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/properties/families.hpp"

namespace likely::testing {

namespace {

// What no table needs, and why.
const std::map<std::string, std::string> kExceptions = {
    {"Axes::mask(string_view, Shape)",
     "how reductions read their axes: every reduction in the table calls it"},
    {"operator==(Rng, Rng)", "tests/ops/rng_test.cpp"},
    {"PlainNumber::value()",
     "a number on its way: every entry with a number passes it; tests/ops/plain_number_test.cpp"},
    {"PlainNumber::is_whole()", "the same"},
    {"PlainNumber::value_is_exact()", "the same"},
    {"PlainNumber::operator-()", "the same"},
    {"PlainNumber::type_beside(DType)", "the same"},
    {"PlainNumber::beside(Tensor)", "the same"},
    {"Rng::draw()", "a key without numbers: tests/ops/rng_test.cpp"},
    {"Rng::skip(uint64_t)", "moves a counter: tests/ops/rng_test.cpp"},
    {"Rng::split()", "keys without numbers: tests/ops/rng_test.cpp"},
    {"Rng::split(int64_t)", "keys without numbers: tests/ops/rng_test.cpp"},
    {"Rng::fold_in(uint64_t)", "keys without numbers: tests/ops/rng_test.cpp"},
};

std::string without_comments(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string text;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    text += line.substr(0, line.find("//")) + "\n";
  }
  return text;
}

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

// "Tensor add(const Tensor& a, double number)" is "add(Tensor, number)"; nothing for what is no function.
std::string signature(const std::string& declaration, const std::string& owner) {
  const std::size_t open = declaration.find('(', declaration.starts_with("operator()") ? 10 : 0);
  if (open == std::string::npos) return "";
  const std::string front = trimmed(declaration.substr(0, open));
  for (const char* other : {"using ", "static_assert", "template", "LIKELY_PARTS", "explicit "}) {
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

  void open(const std::string& word, const std::string& owner, bool hidden) {
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

std::set<std::string> declared_functions() {
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator("likely/ops")) {
    if (entry.path().extension() != ".hpp") continue;
    const std::string text = without_comments(entry.path());
    Reader(text, found).read();
  }
  return found;
}

TEST(Completeness, EveryDeclaredFunctionIsInATable) {
  std::set<std::string> covered;
  for (const auto& family :
       {arithmetic_ops, activation_ops, math_ops, comparison_ops, reduction_ops, cumulative_ops, view_ops,
        indexing_ops, order_ops, product_ops, matrix_ops, convolution_ops, pooling_ops, softmax_ops,
        normalization_ops, attention_ops, special_ops, sparse_ops, random_ops}) {
    for (const Op& op : family()) covered.insert(op.declares.begin(), op.declares.end());
  }
  for (const std::string& draw : random_draws()) covered.insert(draw);
  const std::set<std::string> declared = declared_functions();
  EXPECT_GT(declared.size(), 200U) << "the headers were not read";
  for (const std::string& function : declared) {
    EXPECT_TRUE(covered.contains(function) || kExceptions.contains(function))
        << function << " has no entry in the tables of tests/properties";
  }
}

TEST(Completeness, DeclarationsAreReadAsWritten) {
  const std::string text = R"(
namespace likely {
struct Options { int a = 1; bool b{}; };
Tensor first(const Tensor& x, const std::vector<Tensor>& parts = {}, double p = 0.5);
inline Tensor operator+(const Tensor& a, double number) { return add(a, number); }
class Holder {
 public:
  explicit Holder(int n);
  Tensor member(const Shape& shape) const { if (x) { y(); } return z; }
 private:
  Tensor secret(int n);
};
namespace detail { Tensor inner(const Tensor& x); }
Options last();
}
namespace likely::detail { void more(); }
)";
  std::set<std::string> found;
  Reader(text, found).read();
  const std::set<std::string> expected = {"first(Tensor, vector<Tensor>, number)",
                                          "operator+(Tensor, number)", "Holder::member(Shape)", "last()"};
  EXPECT_EQ(found, expected);
}

}  // namespace

}  // namespace likely::testing
