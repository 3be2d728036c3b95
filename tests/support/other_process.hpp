// Another process, for tests of what processes do to each other.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>

namespace likely::testing {

// Holds the lock of a folder or file, without any code of likely, until it is destroyed.
class OtherProcess {
 public:
  explicit OtherProcess(const std::filesystem::path& locked);
  ~OtherProcess();
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;

 private:
  pid_t child_;
};

// Does something in a process of its own, which calls die() while it is at it: no destructor runs.
void in_a_process_that_dies(const std::function<void()>& work);
[[noreturn]] void die();

}  // namespace likely::testing
