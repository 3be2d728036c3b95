// Every law against mpmath, over all decades of its numbers, in f64 and f32.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "likely/core/create.hpp"
#include "likely/likely.hpp"
#include "tests/support/law_table.hpp"

namespace likely {
namespace {

using testing::LawRow;
using testing::LawSection;
using In = const std::vector<Tensor>&;

// How a function of the table is asked of likely: of the parameters and x, each a column of numbers.
using Function = std::function<Tensor(In)>;

// All functions of one law; make(inputs) builds it of the first of them.
template <class Make>
Function function_of(const std::string& function, const Make& make, std::size_t parameters) {
  using Law = decltype(make(std::vector<Tensor>()));
  if (function == "log_prob") return [=](In in) { return make(in).log_prob(in.back()); };
  if (function == "mean") return [=](In in) { return make(in).mean(); };
  if (function == "variance") return [=](In in) { return make(in).variance(); };
  if (function == "entropy") return [=](In in) { return make(in).entropy(); };
  if constexpr (requires(const Law& law, const Tensor& x) { law.cdf(x); }) {
    if (function == "cdf") return [=](In in) { return make(in).cdf(in.back()); };
  }
  if constexpr (requires(const Law& law, const Tensor& x) { law.quantile(x); }) {
    if (function == "quantile") return [=](In in) { return make(in).quantile(in.back()); };
  }
  if constexpr (requires(const Law& law) { kl(law, law); }) {
    if (function == "kl") {
      return [=](In in) {
        const auto half = in.begin() + static_cast<std::ptrdiff_t>(parameters);
        return kl(make({in.begin(), half}), make({half, in.end()}));
      };
    }
  }
  return {};
}

Tensor columns(In in, std::size_t begin, std::size_t count) {
  const auto first = in.begin() + static_cast<std::ptrdiff_t>(begin);
  return stack({first, first + static_cast<std::ptrdiff_t>(count)}, -1);
}

Function dirichlet(const std::string& function) {
  if (function == "log_prob") {
    return [](In in) { return Dirichlet(columns(in, 0, 3)).log_prob(columns(in, 3, 3)); };
  }
  if (function == "entropy") return [](In in) { return Dirichlet(columns(in, 0, 3)).entropy(); };
  return [](In in) { return select(Dirichlet(columns(in, 0, 3)).variance(), -1, 0); };
}

Function function_of(const std::string& law, const std::string& function) {
  if (law == "Normal")
    return function_of(
        function, [](In p) { return Normal(p[0], p[1]); }, 2);
  if (law == "Laplace")
    return function_of(
        function, [](In p) { return Laplace(p[0], p[1]); }, 2);
  if (law == "Cauchy")
    return function_of(
        function, [](In p) { return Cauchy(p[0], p[1]); }, 2);
  if (law == "Gumbel")
    return function_of(
        function, [](In p) { return Gumbel(p[0], p[1]); }, 2);
  if (law == "LogNormal")
    return function_of(
        function, [](In p) { return LogNormal(p[0], p[1]); }, 2);
  if (law == "Exponential")
    return function_of(
        function, [](In p) { return Exponential(p[0]); }, 1);
  if (law == "Uniform")
    return function_of(
        function, [](In p) { return Uniform(p[0], p[1]); }, 2);
  if (law == "Gamma")
    return function_of(
        function, [](In p) { return Gamma(p[0], p[1]); }, 2);
  if (law == "InverseGamma")
    return function_of(
        function, [](In p) { return InverseGamma(p[0], p[1]); }, 2);
  if (law == "Beta")
    return function_of(
        function, [](In p) { return Beta(p[0], p[1]); }, 2);
  if (law == "StudentT")
    return function_of(
        function, [](In p) { return StudentT(p[0], p[1], p[2]); }, 3);
  if (law == "VonMises")
    return function_of(
        function, [](In p) { return VonMises(p[0], p[1]); }, 2);
  if (law == "Bernoulli")
    return function_of(
        function, [](In p) { return Bernoulli(p[0]); }, 1);
  if (law == "Poisson")
    return function_of(
        function, [](In p) { return Poisson(p[0]); }, 1);
  if (law == "PoissonOfLog") {
    return function_of(
        function, [](In p) { return Poisson::from_log_rate(p[0]); }, 1);
  }
  if (law == "Dirichlet") return dirichlet(function);
  return {};
}

// The function of a section, a slope being a derivative of log_prob.
Function function_of(const LawSection& section) {
  if (!section.function.starts_with("slope")) return function_of(section.law, section.function);
  const Function log_prob = function_of(section.law, "log_prob");
  const auto which = static_cast<std::size_t>(section.function.back() - '0');
  return [=](In in) {
    return grad(in[which], [&](const Tensor& moved) {
      std::vector<Tensor> all(in.begin(), in.end());
      all[which] = moved;
      return sum(log_prob(all));
    });
  };
}

// The derivative by a scale is a sum with -1 / scale, and no nearer than the rounding of that.
double beside_value(const LawSection& section, const LawRow& row) {
  if (section.function != (section.law == "StudentT" ? "slope2" : "slope1")) return 0.0;
  for (const char* name : {"Normal", "Laplace", "Cauchy", "Gumbel", "LogNormal", "StudentT"}) {
    if (section.law == name) return 1.0 / row.inputs[section.law == "StudentT" ? 2 : 1];
  }
  return 0.0;
}

struct Precision {
  DType dtype;
  double step;       // of rounding
  double least;      // the smallest normal number
  double most;       // the largest
  double own;        // allowed, in steps of the value
  double inherited;  // allowed, in steps of what the rounding of the inputs does
};

const Precision kDouble = {
    DType::f64, 0x1p-53, std::numeric_limits<double>::min(), std::numeric_limits<double>::max(),
    1024.0,     16.0};
const Precision kSingle = {
    DType::f32, 0x1p-24, std::numeric_limits<float>::min(), std::numeric_limits<float>::max(), 16.0, 8.0};

bool fits(const LawRow& row, const Precision& precision) {
  for (const double x : row.inputs) {
    if (precision.dtype == DType::f32 && static_cast<double>(static_cast<float>(x)) != x) return false;
    if (x != 0.0 && std::abs(x) < precision.least) return false;
  }
  return std::abs(row.value) <= precision.most;
}

std::string text_of(const LawSection& section, const LawRow& row) {
  std::string text = section.law + " " + section.function + " (";
  for (const double x : row.inputs) text += fmt::format("{} ", x);
  return text + ")";
}

void compare(const LawSection& section, const Precision& precision) {
  std::vector<LawRow> rows;
  for (const LawRow& row : section.rows) {
    if (fits(row, precision)) rows.push_back(row);
  }
  if (rows.empty()) return;
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < rows.front().inputs.size(); ++i) {
    std::vector<double> column;
    for (const LawRow& row : rows) column.push_back(row.inputs[i]);
    inputs.push_back(tensor(column).to(precision.dtype));
  }
  const Function function = function_of(section);
  ASSERT_TRUE(function) << section.law << " " << section.function;
  const Tensor result = function(inputs);
  ASSERT_EQ(result.dtype(), precision.dtype) << section.law << " " << section.function;
  const std::vector<double> computed = result.to_vector<double>();
  ASSERT_EQ(computed.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double expected = rows[i].value;
    const double inherited = precision.dtype == DType::f32 ? rows[i].sensitivity32 : rows[i].sensitivity64;
    const double size = std::max(std::abs(expected), beside_value(section, rows[i]));
    const double allowed =
        precision.step * (precision.own * size + precision.inherited * inherited) + 2.0 * precision.least;
    EXPECT_TRUE(std::abs(computed[i] - expected) <= allowed)
        << text_of(section, rows[i]) << ": computed " << computed[i] << ", expected " << expected
        << ", off by " << std::abs(computed[i] - expected) / (allowed - 2.0 * precision.least)
        << " of what is allowed";
  }
}

TEST(AgainstHighPrecision, InDouble) {
  for (const LawSection& section : testing::law_table()) compare(section, kDouble);
}

TEST(AgainstHighPrecision, InSingle) {
  for (const LawSection& section : testing::law_table()) compare(section, kSingle);
}

}  // namespace
}  // namespace likely
