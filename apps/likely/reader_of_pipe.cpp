#include "apps/likely/reader_of_pipe.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

namespace likely::command {

ReaderOfPipe::ReaderOfPipe(const std::filesystem::path& path, const CancelTest& cancelled) {
  std::error_code unknown;
  if (!std::filesystem::is_fifo(path, unknown)) return;
  while (true) {
    pipe_ = open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (pipe_ >= 0 || (errno != ENXIO && errno != EINTR)) return;  // of other errors writing tells
    give_up_if(cancelled);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

ReaderOfPipe::~ReaderOfPipe() {
  if (pipe_ >= 0) close(pipe_);
}

}  // namespace likely::command
