#include "likely/io/path_kind.hpp"

#include <system_error>

#include "likely/core/error.hpp"

namespace likely::io {

namespace {

std::filesystem::file_status status_of(const std::filesystem::path& path) {
  std::error_code failed;
  const std::filesystem::file_status status = std::filesystem::status(path, failed);
  if (!std::filesystem::status_known(status)) throw Error(path.string() + ": " + failed.message());
  return status;
}

}  // namespace

bool path_exists(const std::filesystem::path& path) { return std::filesystem::exists(status_of(path)); }

bool is_folder(const std::filesystem::path& path) { return std::filesystem::is_directory(status_of(path)); }

}  // namespace likely::io
