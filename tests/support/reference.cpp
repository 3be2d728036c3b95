#include "tests/support/reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/io/json.hpp"
#include "likely/io/text.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"

namespace likely::testing {

namespace {

using Json = io::SortedJson;

// Tests run in the project's folder.
Json read(const std::string& family) {
  return io::parse_json<Json>(io::read_text("tests/reference/data/" + family + ".json"));
}

Tensor to_tensor(const Json& json) {
  const auto dims = json.at("shape").get<std::vector<std::int64_t>>();
  const Shape shape{std::span<const std::int64_t>(dims)};
  if (json.at("dtype") == "i64") return tensor(json.at("data").get<std::vector<std::int64_t>>(), shape);
  return tensor(json.at("data").get<std::vector<double>>(), shape);
}

NamedTensors to_named(const Json& json) {
  NamedTensors result;
  for (const auto& [name, value] : json.items()) result[name] = to_tensor(value);
  return result;
}

// 0.2 ((7 i + 3) mod 11 - 5), as the script has it.
Tensor cotangent(const Shape& shape) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < shape.size(); ++i) {
    values.push_back(0.2 * static_cast<double>((7 * i + 3) % 11 - 5));
  }
  return tensor(values, shape);
}

void compare_case(const Json& stored, const ReferenceFunctions::mapped_type& f, double tolerance) {
  const auto name = stored.at("name").get<std::string>();
  std::vector<Tensor> inputs;
  std::vector<Tensor> learned;
  for (const Json& input : stored.at("inputs")) {
    inputs.push_back(to_tensor(input));
    if (is_floating(inputs.back().dtype())) learned.push_back(inputs.back());
  }
  const Tensor value = f(inputs);
  expect_near(name, value, to_tensor(stored.at("value")), tolerance);
  if (!stored.contains("gradients") || ::testing::Test::HasFatalFailure()) return;

  const std::vector<Tensor> gradients = grad(learned, [&](const std::vector<Tensor>& x) {
    std::vector<Tensor> all;
    std::size_t next = 0;
    for (const Tensor& input : inputs) all.push_back(is_floating(input.dtype()) ? x[next++] : input);
    return sum(f(all) * cotangent(value.shape()));
  });
  std::size_t next = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Json& gradient = stored.at("gradients")[i];
    if (gradient.is_null()) continue;
    expect_near(name + ", gradient for input " + std::to_string(i), gradients[next++], to_tensor(gradient),
                tolerance);
  }
}

}  // namespace

std::vector<ReferenceRun> reference_runs(const std::string& family) {
  std::vector<ReferenceRun> runs;
  for (const Json& json : read(family)) {
    runs.push_back({json.at("name"), to_tensor(json.at("x")), to_tensor(json.at("y")),
                    to_named(json.at("first")), to_named(json.at("last")),
                    json.at("losses").get<std::vector<double>>()});
  }
  return runs;
}

void expect_near(const std::string& what, const Tensor& computed, const Tensor& expected, double tolerance) {
  ASSERT_EQ(computed.shape().string(), expected.shape().string()) << what;
  ASSERT_EQ(computed.dtype(), expected.dtype()) << what;
  const std::vector<double> a = computed.to_vector<double>();
  const std::vector<double> b = expected.to_vector<double>();
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_LE(std::abs(a[i] - b[i]), tolerance * std::max(1.0, std::abs(b[i])))
        << what << ": element " << i << " is " << a[i] << ", expected " << b[i];
  }
}

void expect_parity(const std::string& family, const ReferenceFunctions& functions, double tolerance) {
  std::set<std::string> seen;
  for (const Json& stored : read(family)) {
    const auto name = stored.at("name").get<std::string>();
    seen.insert(name);
    const auto found = functions.find(name);
    if (found == functions.end()) {
      ADD_FAILURE() << "no function for the stored case " << name;
      continue;
    }
    SCOPED_TRACE(name);
    compare_case(stored, found->second, tolerance);
  }
  for (const auto& [name, function] : functions) {
    EXPECT_TRUE(seen.contains(name)) << "no stored case for the function " << name;
  }
}

}  // namespace likely::testing
