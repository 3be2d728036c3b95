#include "likely/io/disk_error.hpp"

#include <cerrno>

namespace likely::io {

bool is_of_disk(int error) { return error == ENOSPC || error == EDQUOT || error == EIO || error == EFBIG; }

void fail_writing(const std::string& message, int error) {
  if (is_of_disk(error)) throw DiskError(message);
  throw Error(message);
}

void fail_writing(std::string_view operation, const std::string& message, int error) {
  try {
    refuse(operation, message);
  } catch (const Error& refusal) {
    fail_writing(refusal.what(), error);
  }
}

}  // namespace likely::io
