// DiskError: what the disk refuses. Nothing is wrong with the input.
#pragma once

#include <string>
#include <string_view>

#include "likely/core/error.hpp"

namespace likely::io {

// The disk is full, or it fails.
class DiskError : public Error {
 public:
  using Error::Error;
};

// Whether the disk is to blame for an error of the system: no room, no more of it for this user or this file,
// a fault.
bool is_of_disk(int error);

// Throws DiskError or Error, by what the system's error is. With an operation, the message begins with it, as
// that of refuse().
[[noreturn]] void fail_writing(const std::string& message, int error);
[[noreturn]] void fail_writing(std::string_view operation, const std::string& message, int error);

}  // namespace likely::io
