// ReaderOfPipe: waits until somebody reads a named pipe, and can be given up.
#pragma once

#include <filesystem>

#include "likely/core/cancel.hpp"

namespace likely::command {

// Opening a named pipe to write waits for its reader, for ever and whatever is pressed. This waits for him
// before, asking `cancelled`, and keeps the pipe open: while one is alive another opening does not wait, and
// the reader sees no end. Does nothing with what is no pipe. Throws Cancelled.
class ReaderOfPipe {
 public:
  ReaderOfPipe(const std::filesystem::path& path, const CancelTest& cancelled);
  ~ReaderOfPipe();
  ReaderOfPipe(const ReaderOfPipe&) = delete;
  ReaderOfPipe& operator=(const ReaderOfPipe&) = delete;

 private:
  int pipe_ = -1;
};

}  // namespace likely::command
