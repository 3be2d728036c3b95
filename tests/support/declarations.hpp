// What headers declare, read from the headers themselves, so that tests can ask whether anything was
// forgotten.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace likely::testing {

// The public functions of a header, outside of namespaces called detail: "add(Tensor, number)",
// "Adam::step(Model, Model)". Constructors and templates of functions that are no members are left out.
std::set<std::string> declared_functions(const std::string& text);
// Of all headers in a folder; tests run in the project's folder.
std::set<std::string> declared_functions_in(const std::filesystem::path& folder);

// A source without comments and without lines for the preprocessor.
std::string without_comments(const std::filesystem::path& path);

}  // namespace likely::testing
