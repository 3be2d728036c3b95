// Damaged files: whatever the bytes, a reader gives a result or an Error that names the file, and takes no
// memory that the file could not fill.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace likely::testing {

// Calls `read` with thousands of damaged copies of a valid file. `ratio`: how many bytes of tensors a byte of
// the file may become.
void fuzz(const std::string& valid, const std::function<void(const std::filesystem::path&)>& read,
          double ratio);

}  // namespace likely::testing
