// Populations of simulated people: a law for each parameter.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "likely/core/error.hpp"
#include "likely/core/nearest_name.hpp"
#include "likely/io/parse_number.hpp"
#include "likely/models/choice_study/option_text.hpp"
#include "likely/models/choice_study/request.hpp"

namespace likely::choice {

namespace {

// How often a number outside the range is drawn again.
constexpr int kMostTries = 1000;

using Draw = std::function<double(Rng&, const Parameter&)>;

double one(const Tensor& drawn) { return drawn.to_vector<double>()[0]; }

struct Law {
  std::string name;
  std::size_t numbers;
  const char* form;
  std::function<bool(const std::vector<double>&)> good;
  std::function<double(Rng&, const std::vector<double>&, const Parameter&)> draw;
};

const std::vector<Law>& laws_table() {
  using Numbers = std::vector<double>;
  const auto positive_second = [](const Numbers& a) { return a[1] > 0.0; };
  const auto positive = [](const Numbers& a) {
    return std::all_of(a.begin(), a.end(), [](double x) { return x > 0.0; });
  };
  static const std::vector<Law> table{
      {"uniform", 2, "uniform:low,high", [](const Numbers& a) { return a[0] < a[1]; },
       [](Rng& rng, const Numbers& a, const Parameter&) {
         return one(rng.uniform({1}, a[0], a[1], DType::f64));
       }},
      {"exponential", 1, "exponential:mean", positive,
       [](Rng& rng, const Numbers& a, const Parameter&) {
         return a[0] * one(rng.exponential({1}, 1.0, DType::f64));
       }},
      {"normal", 2, "normal:mean,sd", positive_second,
       [](Rng& rng, const Numbers& a, const Parameter&) {
         return one(rng.normal({1}, a[0], a[1], DType::f64));
       }},
      {"lognormal", 2, "lognormal:mean,sd", positive_second,
       [](Rng& rng, const Numbers& a, const Parameter&) {
         return std::exp(one(rng.normal({1}, a[0], a[1], DType::f64)));
       }},
      {"gamma", 2, "gamma:shape,scale", positive,
       [](Rng& rng, const Numbers& a, const Parameter&) {
         return a[1] * one(rng.gamma({1}, a[0], DType::f64));
       }},
      {"beta", 2, "beta:a,b", positive,
       [](Rng& rng, const Numbers& a, const Parameter&) {
         return one(rng.beta({1}, a[0], a[1], DType::f64));
       }},
      {"prior", 2, "prior:mean,sd", positive_second,
       [](Rng& rng, const Numbers& a, const Parameter& p) {
         return p.natural(one(rng.normal({1}, a[0], a[1], DType::f64)));
       }},
  };
  return table;
}

Draw parse_law(const std::string& text, const std::string& whole) {
  double constant = 0.0;
  if (io::parse_number(text, constant)) return [constant](Rng&, const Parameter&) { return constant; };
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string name = text.substr(0, colon);
  std::vector<std::string> names;
  for (const Law& law : laws_table()) {
    names.push_back(law.name);
    if (law.name != name) continue;
    const std::vector<double> numbers = numbers_of(text.substr(std::min(colon + 1, text.size())), whole);
    if (numbers.size() != law.numbers || !law.good(numbers))
      throw Error(fmt::format("{}: this is no law of the form {}", whole, law.form));
    return [&law, numbers](Rng& rng, const Parameter& p) { return law.draw(rng, numbers, p); };
  }
  throw Error(fmt::format("{}: \"{}\" is neither a number nor a law{}; there are {}", whole, name,
                          did_you_mean(name, names), fmt::join(names, ", ")));
}

}  // namespace

void Redrawn::add(const std::string& law, const Parameter& parameter) {
  ++counts_[fmt::format("{}: {} lies between {} and {}", law, parameter.name, parameter.lower,
                        parameter.upper)];
}

std::vector<std::string> Redrawn::warnings() const {
  std::vector<std::string> lines;
  for (const auto& [law, count] : counts_)
    lines.push_back(fmt::format("{}: {} outside {} drawn again", law,
                                count == 1 ? "1 number" : fmt::format("{} numbers", count),
                                count == 1 ? "was" : "were"));
  return lines;
}

std::vector<std::vector<double>> draw_population(const Model& model, const std::vector<std::string>& laws,
                                                 std::int64_t count, const Rng& rng, bool strangers,
                                                 Redrawn* redrawn) {
  if (count < 1) throw Error(fmt::format("there must be at least 1 subject, got {}", count));
  std::vector<std::string> names;
  std::vector<Draw> draws;
  std::vector<std::string> said;
  for (const Parameter& p : model.parameters) {
    names.push_back(p.name);
    draws.emplace_back([](Rng& own, const Parameter& q) {
      return q.natural(q.prior_mean + one(own.normal({1}, 0.0, 1.0, DType::f64)));
    });
    said.push_back(fmt::format("{}'s own prior", p.name));
  }
  for (const std::string& text : laws) {
    const std::string whole = fmt::format("`param = {}`", text);
    const std::size_t equal = text.find('=');
    if (equal == std::string::npos) throw Error(fmt::format("{}: this is not NAME=LAW", whole));
    Draw draw = parse_law(text.substr(equal + 1), whole);
    const auto found = std::find(names.begin(), names.end(), text.substr(0, equal));
    if (found == names.end()) {
      if (strangers) continue;
      throw Error(fmt::format("{}: {} has no parameter \"{}\"{}", whole, model.name, text.substr(0, equal),
                              did_you_mean(text.substr(0, equal), names)));
    }
    draws[static_cast<std::size_t>(found - names.begin())] = std::move(draw);
    said[static_cast<std::size_t>(found - names.begin())] = whole;
  }
  std::vector<std::vector<double>> people(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < people.size(); ++i) {
    Rng own = rng.fold_in(i);
    for (std::size_t k = 0; k < draws.size(); ++k) {
      const Parameter& p = model.parameters[k];
      double x = draws[k](own, p);
      for (int tries = 1; !(x >= p.lower && x <= p.upper && std::isfinite(x)); ++tries) {
        if (tries == kMostTries)
          throw Error(fmt::format("{}: {} lies between {} and {}, and no such number was drawn", said[k],
                                  p.name, p.lower, p.upper));
        if (redrawn != nullptr) redrawn->add(said[k], p);
        x = draws[k](own, p);
      }
      people[i].push_back(x);
    }
  }
  return people;
}

}  // namespace likely::choice
