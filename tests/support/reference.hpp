// Numbers that another library computed (tools/reference/torch_reference.py wrote them), and the comparison
// with them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "likely/core/tensor.hpp"

namespace likely::testing {

using NamedTensors = std::map<std::string, Tensor>;

// One run of a training loop over the whole of x and y in every step.
struct ReferenceRun {
  std::string name;
  Tensor x;
  Tensor y;
  NamedTensors first;  // the weights before the first step
  NamedTensors last;   // and after the last
  std::vector<double> losses;
};
std::vector<ReferenceRun> reference_runs(const std::string& family = "training");

using ReferenceFunctions = std::map<std::string, std::function<Tensor(const std::vector<Tensor>&)>>;

// Compares the function of each case in tests/reference/data/<family>.json with the stored value and the
// stored gradients of sum(value * cotangent), to |a - b| <= tolerance * max(1, |b|). Every case must have a
// function and every function a case.
void expect_parity(const std::string& family, const ReferenceFunctions& functions, double tolerance = 1e-10);

// The same comparison of two tensors; the message names `what`.
void expect_near(const std::string& what, const Tensor& computed, const Tensor& expected, double tolerance);

}  // namespace likely::testing
