// Tests that need a process of their own to kill: this test program, started again for one of its tests.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>

namespace likely::testing {

// Starts this program for one (disabled) test with more environment variables.
pid_t start_test(const std::string& name, const std::map<std::string, std::string>& environment);

// How a child ended: its exit code, or minus the signal that killed it.
int wait_for(pid_t child);

}  // namespace likely::testing
