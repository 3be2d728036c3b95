// Every function that reads a file has a target in this folder, so that a new one cannot be forgotten.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "tests/support/declarations.hpp"

namespace likely::testing {

namespace {

namespace fs = std::filesystem;

// What takes a path and reads no file of others.
const std::set<std::string> kOthers = {
    "write_file",   "write_trials", "write_subject_parameters",
    "write_report", "save_csv",     "save_panels",
    "draw",         "run_program",  "guards",
    "make_folders", "note_made",    "is_folder",
    "path_exists",
};
// What reads by another function alone.
const std::map<std::string, std::string> kBy = {
    {"refuse_lines_above", "guess_csv_layout"},
    {"settle_pair", "read_list"},
    {"resume_run", "read_run"},
    {"evaluate_run", "read_run"},
    {"plot_run", "read_run"},
};

// The functions that the targets call; of "CsvStream stream(path)" both words.
std::set<std::string> called_by_targets() {
  static const std::regex kCall(R"((\w+)(?: (\w+))?\()");
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator("tests/fuzz")) {
    if (entry.path().extension() != ".cpp" || entry.path().string().ends_with("_test.cpp")) continue;
    const std::string text = without_comments(entry.path());
    for (std::sregex_iterator found(text.begin(), text.end(), kCall), end; found != end; ++found)
      names.insert({(*found)[1], (*found)[2]});
  }
  return names;
}

// Of the headers: functions with a path among their arguments.
std::set<std::string> functions_of_paths() {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator("likely")) {
    if (entry.path().extension() != ".hpp") continue;
    for (const std::string& function : declared_functions(without_comments(entry.path()))) {
      const std::size_t open = function.find('(');
      if (function.find("filesystem::path", open) == std::string::npos) continue;
      const std::string name = function.substr(0, open);
      if (name.find("std::function") != std::string::npos) continue;  // a variable
      names.insert(name.substr(name.rfind(':') + 1));
    }
  }
  return names;
}

// Of the sources: what opens a file names itself, InputFile file("load_npy", path).
std::set<std::string> openers() {
  static const std::regex kOpens(R"re((?:InputFile|MappedFile|ByteStream)>?(?: \w+)?\("(\w+)")re");
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator("likely")) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string text = without_comments(entry.path());
    for (std::sregex_iterator found(text.begin(), text.end(), kOpens), end; found != end; ++found)
      names.insert((*found)[1]);
  }
  return names;
}

TEST(CompletenessOfTargets, EveryReaderIsUnderAttack) {
  const std::set<std::string> called = called_by_targets();
  const std::set<std::string> by_path = functions_of_paths(), by_name = openers();
  EXPECT_GT(by_path.size(), 30U) << "the headers were not read";
  EXPECT_GE(by_name.size(), 10U) << "the sources were not read";
  std::set<std::string> all = by_path;
  all.insert(by_name.begin(), by_name.end());
  for (const std::string& reader : all) {
    const auto other = kBy.find(reader);
    const std::string attacked = other == kBy.end() ? reader : other->second;
    EXPECT_TRUE(kOthers.contains(reader) || called.contains(attacked))
        << reader << " has no target in tests/fuzz";
  }
}

}  // namespace

}  // namespace likely::testing
