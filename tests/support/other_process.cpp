#include "tests/support/other_process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace likely::testing {

OtherProcess::OtherProcess(const std::filesystem::path& locked) {
  int ready[2];
  EXPECT_EQ(pipe(ready), 0);
  child_ = fork();
  if (child_ == 0) {
    const int file = open(locked.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0 || flock(file, LOCK_EX | LOCK_NB) != 0) _exit(1);
    if (write(ready[1], "x", 1) != 1) _exit(1);
    for (;;) pause();
  }
  close(ready[1]);
  char byte = 0;
  EXPECT_EQ(read(ready[0], &byte, 1), 1) << "no lock on " << locked;
  close(ready[0]);
}

OtherProcess::~OtherProcess() {
  kill(child_, SIGKILL);
  waitpid(child_, nullptr, 0);
}

void in_a_process_that_dies(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(1);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

void die() {
  for (;;) kill(getpid(), SIGKILL);
}

}  // namespace likely::testing
