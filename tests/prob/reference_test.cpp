// Every law against mpmath, over all decades of its numbers, in f64 and f32.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <regex>
#include <set>

#include "likely/core/create.hpp"
#include "likely/likely.hpp"
#include "likely/prob/distributions/concrete.hpp"
#include "likely/prob/distributions/relaxed_bernoulli.hpp"
#include "likely/prob/distributions/truncated_gumbel.hpp"
#include "tests/support/declarations.hpp"
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
  if constexpr (requires(const Law& law) { law.entropy(); }) {
    if (function == "entropy") return [=](In in) { return make(in).entropy(); };
  }
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
  if (function == "mean") return [](In in) { return select(Dirichlet(columns(in, 0, 3)).mean(), -1, 0); };
  if (function == "variance") {
    return [](In in) { return select(Dirichlet(columns(in, 0, 3)).variance(), -1, 0); };
  }
  if (function == "kl") {
    return [](In in) { return kl(Dirichlet(columns(in, 0, 3)), Dirichlet(columns(in, 3, 3))); };
  }
  return {};
}

// Of three classes: the temperature, logits, x or y.
Function concrete(const std::string& law, const std::string& function) {
  if (function != "log_prob") return {};
  if (law == "Concrete")
    return [](In in) { return Concrete(in[0], columns(in, 1, 3)).log_prob(columns(in, 4, 3)); };
  return [](In in) { return ExpConcrete(in[0], columns(in, 1, 3)).log_prob(columns(in, 4, 3)); };
}

Function relaxed_bernoulli(const std::string& function) {
  if (function == "log_prob") return [](In in) { return RelaxedBernoulli(in[0], in[1]).log_prob(in[2]); };
  if (function == "cdf") return [](In in) { return RelaxedBernoulli(in[0], in[1]).cdf(in[2]); };
  if (function == "quantile") return [](In in) { return RelaxedBernoulli(in[0], in[1]).quantile(in[2]); };
  return {};
}

Tensor whole(const Tensor& x) { return round(x).to(DType::i64); }

Function categorical(const std::string& function) {
  const auto law = [](In in, std::size_t begin) { return Categorical(columns(in, begin, 3)); };
  if (function == "log_prob") return [=](In in) { return law(in, 0).log_prob(whole(in.back())); };
  if (function == "cdf") return [=](In in) { return law(in, 0).cdf(whole(in.back())); };
  if (function == "mean") return [=](In in) { return law(in, 0).mean(); };
  if (function == "probabilities") return [=](In in) { return select(law(in, 0).probabilities(), -1, 0); };
  if (function == "variance") return [=](In in) { return law(in, 0).variance(); };
  if (function == "entropy") return [=](In in) { return law(in, 0).entropy(); };
  if (function == "kl") return [=](In in) { return kl(law(in, 0), law(in, 3)); };
  return {};
}

// Of two numbers: the location, then a, b, c of the factor (a 0; b c) of the covariance.
Function multivariate_normal(const std::string& function) {
  const auto law = [](In in, std::size_t begin) {
    const Tensor first = stack({in[begin + 2], zeros_like(in[begin])}, -1);
    return MultivariateNormal::from_cholesky(columns(in, begin, 2),
                                             stack({first, columns(in, begin + 3, 2)}, -2));
  };
  if (function == "log_prob") return [=](In in) { return law(in, 0).log_prob(columns(in, 5, 2)); };
  if (function == "mean") return [=](In in) { return select(law(in, 0).mean(), -1, 1); };
  if (function == "variance") return [=](In in) { return select(law(in, 0).variance(), -1, 1); };
  if (function == "covariance")
    return [=](In in) { return select(select(law(in, 0).covariance(), -2, 0), -1, 1); };
  if (function == "factor") return [=](In in) { return select(select(law(in, 0).factor(), -2, 1), -1, 0); };
  if (function == "log_det_factor") return [=](In in) { return law(in, 0).log_det_factor(); };
  if (function == "standardize")
    return [=](In in) { return select(law(in, 0).standardize(columns(in, 5, 2)), -1, 1); };
  if (function == "entropy") return [=](In in) { return law(in, 0).entropy(); };
  if (function == "kl") return [=](In in) { return kl(law(in, 0), law(in, 5)); };
  return {};
}

// Of two normal laws: logits, locations, scales.
Function mixture(const std::string& function) {
  return function_of(
      function,
      [](In p) { return Mixture(Categorical(columns(p, 0, 2)), Normal(columns(p, 2, 2), columns(p, 4, 2))); },
      6);
}

// Two normal laws: locations, scales.
Function independent(const std::string& function) {
  const auto law = [](In in, std::size_t begin) {
    return Independent(Normal(columns(in, begin, 2), columns(in, begin + 2, 2)), 1);
  };
  if (function == "log_prob") return [=](In in) { return law(in, 0).log_prob(columns(in, 4, 2)); };
  if (function == "mean") return [=](In in) { return select(law(in, 0).mean(), -1, 1); };
  if (function == "variance") return [=](In in) { return select(law(in, 0).variance(), -1, 1); };
  if (function == "entropy") return [=](In in) { return law(in, 0).entropy(); };
  if (function == "kl") return [=](In in) { return kl(law(in, 0), law(in, 4)); };
  return {};
}

template <class Map>
Function transformed(const std::string& function, const Map& map) {
  const auto law = [=](In in, std::size_t begin) {
    return Transformed(Normal(in[begin], in[begin + 1]), map);
  };
  if (function == "log_prob") return [=](In in) { return law(in, 0).log_prob(in.back()); };
  if (function == "cdf") return [=](In in) { return law(in, 0).cdf(in.back()); };
  if (function == "kl") return [=](In in) { return kl(law(in, 0), law(in, 2)); };
  return {};
}

template <class P>
constexpr std::size_t kParameters =
    std::is_same_v<P, StudentT>                                                                    ? 3
    : std::is_same_v<P, Exponential> || std::is_same_v<P, Bernoulli> || std::is_same_v<P, Poisson> ? 1
                                                                                                   : 2;

template <class P>
P law_of(In in, std::size_t begin) {
  if constexpr (kParameters<P> == 1) {
    return P(in[begin]);
  } else if constexpr (kParameters<P> == 2) {
    return P(in[begin], in[begin + 1]);
  } else {
    return P(in[begin], in[begin + 1], in[begin + 2]);
  }
}

// kl(p, q) of laws of two families.
template <class P, class Q>
Function across() {
  return [](In in) { return kl(law_of<P>(in, 0), law_of<Q>(in, kParameters<P>)); };
}

Function across(const std::string& pair) {
  static const std::map<std::string, Function> kAll = {
      {"Beta kl_Normal", across<Beta, Normal>()},
      {"Exponential kl_Normal", across<Exponential, Normal>()},
      {"Gamma kl_Normal", across<Gamma, Normal>()},
      {"Gumbel kl_Normal", across<Gumbel, Normal>()},
      {"InverseGamma kl_Normal", across<InverseGamma, Normal>()},
      {"Laplace kl_Normal", across<Laplace, Normal>()},
      {"LogNormal kl_Normal", across<LogNormal, Normal>()},
      {"StudentT kl_Normal", across<StudentT, Normal>()},
      {"Uniform kl_Normal", across<Uniform, Normal>()},
      {"Beta kl_Exponential", across<Beta, Exponential>()},
      {"Gamma kl_Exponential", across<Gamma, Exponential>()},
      {"InverseGamma kl_Exponential", across<InverseGamma, Exponential>()},
      {"LogNormal kl_Exponential", across<LogNormal, Exponential>()},
      {"Uniform kl_Exponential", across<Uniform, Exponential>()},
      {"Beta kl_Gamma", across<Beta, Gamma>()},
      {"Exponential kl_Gamma", across<Exponential, Gamma>()},
      {"InverseGamma kl_Gamma", across<InverseGamma, Gamma>()},
      {"LogNormal kl_Gamma", across<LogNormal, Gamma>()},
      {"Uniform kl_Gamma", across<Uniform, Gamma>()},
      {"Exponential kl_Gumbel", across<Exponential, Gumbel>()},
      {"Gamma kl_Gumbel", across<Gamma, Gumbel>()},
      {"Normal kl_Gumbel", across<Normal, Gumbel>()},
      {"Uniform kl_Gumbel", across<Uniform, Gumbel>()},
      {"Normal kl_Laplace", across<Normal, Laplace>()},
      {"Beta kl_Uniform", across<Beta, Uniform>()},
      {"Uniform kl_Beta", across<Uniform, Beta>()},
      {"Bernoulli kl_Poisson", across<Bernoulli, Poisson>()},
  };
  const auto found = kAll.find(pair);
  return found == kAll.end() ? Function() : found->second;
}

Function function_of(const std::string& law, const std::string& function) {
  if (function.starts_with("kl_")) return across(law + " " + function);
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
  if (law == "TruncatedGumbel")
    return function_of(
        function, [](In p) { return TruncatedGumbel(p[0], p[1], p[2]); }, 3);
  if (law == "Concrete" || law == "ExpConcrete") return concrete(law, function);
  if (law == "RelaxedBernoulli") return relaxed_bernoulli(function);
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
  if (law == "Categorical") return categorical(function);
  if (law == "MultivariateNormal") return multivariate_normal(function);
  if (law == "Mixture") return mixture(function);
  if (law == "Independent") return independent(function);
  if (law == "TransformedByExp") return transformed(function, ExpMap());
  if (law == "TransformedBySoftplus") return transformed(function, SoftplusMap());
  if (law == "TransformedBySigmoid") return transformed(function, SigmoidMap());
  if (law == "TransformedByTanh") return transformed(function, TanhMap());
  if (law == "TransformedByAffine") {
    return function_of(
        function, [](In p) { return Transformed(Normal(p[0], p[1]), Affine(p[2], p[3])); }, 4);
  }
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
// A softmax is a part of 1, and what a falling map leaves below is 1 less what is above: no nearer than the
// rounding of 1.
// A divergence between families is what the logarithms of two scales and an entropy leave of each other.
double beside_value(const LawSection& section, const LawRow& row) {
  if (section.function.starts_with("kl_")) {
    double size = 1.0;
    for (const double x : row.inputs) size += x == 0.0 ? 0.0 : std::abs(std::log(std::abs(x)));
    return size;
  }
  if (section.law == "Categorical") return 1.0;
  if (section.law == "TransformedByAffine" && section.function == "cdf" && row.inputs[3] < 0.0) return 1.0;
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

// Returns how many rows were compared.
int compare(const LawSection& section, const Precision& precision) {
  std::vector<LawRow> rows;
  for (const LawRow& row : section.rows) {
    if (fits(row, precision)) rows.push_back(row);
  }
  if (rows.empty()) return 0;
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < rows.front().inputs.size(); ++i) {
    std::vector<double> column;
    for (const LawRow& row : rows) column.push_back(row.inputs[i]);
    inputs.push_back(tensor(column).to(precision.dtype));
  }
  const Function function = function_of(section);
  EXPECT_TRUE(function) << section.law << " " << section.function;
  if (!function) return 0;
  const Tensor result = function(inputs);
  EXPECT_EQ(result.dtype(), precision.dtype) << section.law << " " << section.function;
  const std::vector<double> computed = result.to_vector<double>();
  EXPECT_EQ(computed.size(), rows.size()) << section.law << " " << section.function;
  if (computed.size() != rows.size()) return 0;
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
  return static_cast<int>(rows.size());
}

int compare_all(const Precision& precision) {
  int rows = 0;
  for (const LawSection& section : testing::law_table()) rows += compare(section, precision);
  return rows;
}

// So many are there, and so many of them are numbers of the type: a table that was cut or emptied, or a
// comparison that passes rows over, is not taken for agreement.
constexpr std::size_t kSections = 203;
constexpr std::size_t kRows = 7212;
constexpr int kRowsInDouble = 7212;
constexpr int kRowsInSingle = 5277;

TEST(AgainstHighPrecision, TheTableIsWhole) {
  const std::vector<LawSection> sections = testing::law_table();
  EXPECT_EQ(sections.size(), kSections);
  std::size_t rows = 0;
  std::set<std::string> names;
  for (const LawSection& section : sections) {
    EXPECT_FALSE(section.rows.empty()) << section.law << " " << section.function;
    EXPECT_TRUE(names.insert(section.law + " " + section.function).second) << section.law;
    rows += section.rows.size();
  }
  EXPECT_EQ(rows, kRows);
}

// The numbers that a law has, as its header declares them.
const std::set<std::string> kNoNumbers = {"batch_shape", "event_shape",    "axes",
                                          "classes",     "sum_over_event", "sample",
                                          "rsample",     "diagonal",       "straight_through"};
const std::set<std::string> kNotThere = {"Cauchy mean", "Cauchy variance"};  // NaN: tests/prob/edges_test.cpp

TEST(AgainstHighPrecision, EveryFunctionOfEveryLawIsInTheTable) {
  std::set<std::string> listed;
  for (const LawSection& section : testing::law_table()) {
    // TransformedByExp, PoissonOfLog: ways to make one.
    const std::string law = std::regex_replace(section.law, std::regex("(By|Of)[A-Z].*"), "");
    listed.insert(law + " " + section.function);
  }
  static const std::regex kMember(R"((\w+)::(\w+)\(.*)");
  static const std::regex kDivergence(R"(kl\((\w+), (\w+)\))");
  int functions = 0;
  const std::set<std::string> declared = testing::declared_functions_in("likely/prob");
  for (const std::string& function : declared) {
    std::smatch found;
    std::string name;
    if (std::regex_match(function, found, kDivergence)) {
      name = found[1].str() + (found[1] == found[2] ? " kl" : " kl_" + found[2].str());
    } else if (std::regex_match(function, found, kMember)) {
      const bool is_law = declared.contains(found[1].str() + "::log_prob(Tensor)");
      if (!is_law || kNoNumbers.contains(found[2]) || found[2].str().starts_with("from_")) continue;
      name = found[1].str() + " " + found[2].str();
    } else {
      continue;
    }
    ++functions;
    EXPECT_TRUE(listed.contains(name) || kNotThere.contains(name)) << name << " is not in the table";
  }
  EXPECT_GE(functions, 140) << "the headers were not read";
}

TEST(AgainstHighPrecision, InDouble) { EXPECT_EQ(compare_all(kDouble), kRowsInDouble); }
TEST(AgainstHighPrecision, InSingle) { EXPECT_EQ(compare_all(kSingle), kRowsInSingle); }

}  // namespace
}  // namespace likely
