// Runs a check with each set of vector instructions that the processor has, and then returns to the best.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "likely/kernels/instruction_set.hpp"

namespace likely::kernels {

template <class Body>
void on_every_instruction_set(const Body& body) {
  const auto sets = instruction_sets();
  for (const std::string& name : sets) {
    SCOPED_TRACE(name);
    use_instruction_set(name);
    body();
  }
  use_instruction_set(sets.front());
}

}  // namespace likely::kernels
