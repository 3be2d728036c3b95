// Files exchanged with PyTorch, by tools/check_safetensors.py.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <tuple>

#include "likely/core/create.hpp"
#include "likely/io/model_file.hpp"
#include "likely/io/safetensors.hpp"
#include "likely/ops/arithmetic.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::io {
namespace {

using testing::TemporaryFolder;

struct Dense {
  Tensor weight, bias;
  LIKELY_PARTS(weight, bias)
};
struct Norm {
  Tensor weight, bias;
  Buffer running_mean, running_var, num_batches_tracked;
  LIKELY_PARTS(weight, bias, running_mean, running_var, num_batches_tracked)
};
// torch.nn.Sequential numbers its layers, as a tuple does.
using Network = std::tuple<Dense, Norm, Dense>;

// Element i is (i - 3) / 8.
Tensor known(const Shape& shape, DType dtype = DType::f32) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < shape.size(); ++i) values.push_back(static_cast<double>(i - 3) / 8.0);
  return tensor(values, shape).to(dtype);
}

Network known_network() {
  return {{known({4, 3}), known({4})},
          {known({4}), known({4}), known({4}), known({4}), known({}, DType::i64)},
          {known({2, 4}, DType::f64), known({2}, DType::f64)}};
}

NamedTensors known_state() {
  NamedTensors state;
  state.metadata = {{"format", "pt"}, {"epoch", "3"}};
  for (const Part& part : named_parts(known_network())) state.tensors.emplace_back(part.name, part.value);
  state.tensors.emplace_back("mask", tensor({true, false, true}));
  return state;
}

void expect_known(const std::filesystem::path& path) {
  const NamedTensors read = load_safetensors(path);
  const NamedTensors wanted = known_state();
  EXPECT_EQ(read.metadata, wanted.metadata);
  EXPECT_EQ(read.tensors.size(), wanted.tensors.size());
  for (const auto& [name, tensor] : wanted.tensors) EXPECT_TRUE(array_equal(read[name], tensor)) << name;
}

// A Python that has torch: the one on the path, or the system's.
std::string python_with_torch() {
  for (const char* python : {"python3", "/usr/bin/python3"}) {
    const std::string command = std::string(python) + " -c 'import torch' >/dev/null 2>&1";
    if (std::system(command.c_str()) == 0) return python;
  }
  return {};
}

TEST(PyTorch, FileThatItWroteLoadsHere) { expect_known("tests/reference/data/pytorch.safetensors"); }

TEST(PyTorch, StateOfANetworkLoadsIntoAModelWithTheSameNames) {
  const TemporaryFolder folder;
  NamedTensors state = load_safetensors("tests/reference/data/pytorch.safetensors");
  std::erase_if(state.tensors, [](const auto& entry) { return entry.first == "mask"; });
  save_safetensors(folder / "network", state);
  Network network = map_parts(known_network(), [](const Tensor& tensor) { return zeros_like(tensor); });
  EXPECT_EQ(load(folder / "network", network).at("epoch"), "3");
  const std::vector<Part> loaded = named_parts(network);
  const std::vector<Part> wanted = named_parts(known_network());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_TRUE(array_equal(loaded[i].value, wanted[i].value)) << wanted[i].name;
  }
}

TEST(PyTorch, ReadsOurFilesAndWeReadIts) {
  const std::string python = python_with_torch();
  if (python.empty()) GTEST_SKIP() << "no python3 with torch";
  const TemporaryFolder folder;
  const std::string script = python + " tools/check_safetensors.py ";
  const std::string theirs = (folder / "theirs.safetensors").string();
  ASSERT_EQ(std::system((script + "write " + theirs).c_str()), 0);
  expect_known(theirs);
  const std::string ours = (folder / "ours.safetensors").string();
  save_safetensors(ours, known_state());
  EXPECT_EQ(std::system((script + "check " + ours).c_str()), 0);
  NamedTensors other = known_state();
  other.tensors[0].second = other.tensors[0].second + 1.0;
  save_safetensors(ours, other);
  EXPECT_NE(std::system((script + "check " + ours + " 2>/dev/null").c_str()), 0)
      << "the check must see a difference";
}

}  // namespace
}  // namespace likely::io
