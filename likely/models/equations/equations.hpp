// The numbered equations of the textbook: where each is in likely and which test holds it. The texts are
// those of docs/equations/chapter_NN.txt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace likely::equations {

struct Equation {
  int chapter = 0;
  int number = 0;
  std::string title;
  std::vector<std::string> formula{};  // lines
  std::vector<std::string> code{};     // "likely/models/book/chapter_02/line.hpp least_squares"
  std::vector<std::string> tests{};    // "Udl02.Eq5_LeastSquares"
  std::vector<std::string> notes{};
  std::vector<std::string> notation{};  // why there is nothing to run, where there is not

  std::string name() const;  // "2.5"
};

// The entries of one chapter's text. Refuses a line that is none, naming `file` and line.
std::vector<Equation> parse(std::string_view text, const std::string& file);

// What is asked for: "6.11" (one), "6" (its chapter) or "" (all). Refuses others, with the numbers that there
// are, and the nearest.
std::vector<Equation> find(const std::vector<Equation>& all, const std::string& wanted);

// For people: one in full, a chapter as a list, all as a table of chapters.
std::string describe(const std::vector<Equation>& found, const std::string& wanted);
std::string json_of(const std::vector<Equation>& found);

}  // namespace likely::equations
