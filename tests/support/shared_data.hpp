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

// Declares `path`, or skips the test, saying why.
#define LIKELY_SHARED_DATA(path, name)                                                        \
  const auto path##_found = ::likely::testing::shared_data(name);                             \
  if (!path##_found) GTEST_SKIP() << "no " << (name) << " in ../shared/data or $LIKELY_DATA"; \
  const std::filesystem::path& path = *path##_found
