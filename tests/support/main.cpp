// The main of every test program. Runs the tests with the vector instructions that
// $LIKELY_TEST_INSTRUCTION_SET names; without it, with the best.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>

#include "likely/kernels/instruction_set.hpp"

int main(int count, char** arguments) {
  constexpr int kSkipped = 77;  // as tests/CMakeLists.txt tells CTest
  // A script's background job is started with Ctrl-C ignored, some others with signals blocked, and so would
  // be what is tested here.
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGCHLD, SIGHUP}) std::signal(signal, SIG_DFL);
  testing::InitGoogleTest(&count, arguments);
  if (const char* const wanted = std::getenv("LIKELY_TEST_INSTRUCTION_SET"); wanted != nullptr) {
    const auto sets = likely::kernels::instruction_sets();
    if (std::find(sets.begin(), sets.end(), wanted) == sets.end()) {
      std::cout << "skipped: this processor has no " << wanted << "\n";
      return kSkipped;
    }
    likely::kernels::use_instruction_set(wanted);
  }
  return RUN_ALL_TESTS();
}
