#include "apps/likely/standard_streams.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "likely/core/tell.hpp"

namespace likely::command {

namespace {

constexpr int kReaderGone = 128 + SIGPIPE;  // as shells have it
int first_error = 0;                        // of the standard output, which the process has only one of

}  // namespace

void prepare_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest number that is free is this one.
    const int opened = open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);
    if (opened >= 0 && opened != stream) close(opened);
  }
  // Both come as errors of the write, which can be told.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

// What std::cout prints goes through the same stream.
void flush_output() {
  if (std::fflush(stdout) != 0 && first_error == 0) first_error = errno;
}

bool note_failed_output(const std::system_error& error) {
  if (std::ferror(stdout) == 0) return false;
  if (first_error == 0) first_error = error.code().value();
  return true;
}

int exit_code(int code) {
  errno = 0;
  flush_output();
  if (first_error == 0 && std::ferror(stdout) == 0) return code;
  if (first_error == EPIPE) return code == EXIT_SUCCESS ? kReaderGone : code;
  tell(first_error == 0 ? "likely: cannot write to the standard output\n"
                        : fmt::format("likely: cannot write to the standard output: {}\n",
                                      std::generic_category().message(first_error)));
  return code == EXIT_SUCCESS ? EXIT_FAILURE : code;
}

}  // namespace likely::command
