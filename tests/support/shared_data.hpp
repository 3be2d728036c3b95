// Data sets are not part of the project: tests that want one look for it in ../shared/data or $LIKELY_DATA.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace likely::testing {

// The file or folder of this name, where it is there. Tests run in the project's folder.
inline std::optional<std::filesystem::path> shared_data(const std::string& name) {
  const char* chosen = std::getenv("LIKELY_DATA");
  const std::filesystem::path path =
      std::filesystem::path(chosen != nullptr ? chosen : "../shared/data") / name;
  if (!std::filesystem::exists(path)) return std::nullopt;
  return path;
}

}  // namespace likely::testing

// Declares `variable`, the path of what has this name, or skips the test, saying why.
#define LIKELY_SHARED_DATA(variable, name)                                                        \
  const auto variable##_found = ::likely::testing::shared_data(name);                             \
  if (!variable##_found) GTEST_SKIP() << "no " << (name) << " in ../shared/data or $LIKELY_DATA"; \
  const std::filesystem::path& variable = *variable##_found
