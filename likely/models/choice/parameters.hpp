// Parameters of choice models: a name, a range, and a form without bounds in which priors are normal.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace likely::choice {

// x as a function of u, any real number.
enum class Transform : std::uint8_t {
  identity,  // x = u
  log,       // x = lower + e^u
  logit,     // x = lower + (upper - lower) / (1 + e^-u)
};

// x(u) and its first two derivatives.
struct TransformSlopes {
  double value, first, second;
};

struct Parameter {
  std::string name;
  Transform transform = Transform::identity;
  // Where the transform leads.
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  // The box in which maximum likelihood looks, within [lower, upper] and finite.
  double box_lower = -20.0;
  double box_upper = 20.0;
  // Of u, for MAP: normal.
  double prior_mean = 0.0;
  double prior_sd = 2.5;
  std::string meaning{};  // in a few words

  double natural(double u) const { return slopes(u).value; }
  TransformSlopes slopes(double u) const;
  // The u of an x strictly within the bounds. Refuses others.
  double unconstrained(double x) const;
};

// In (0, 1), by the logit.
Parameter rate_parameter(std::string name, std::string meaning);
// Above 0, by the logarithm; maximum likelihood looks up to `box_upper`.
Parameter positive_parameter(std::string name, std::string meaning, double box_upper = 20.0);
// In (lower, upper), by the scaled logit.
Parameter bounded_parameter(std::string name, std::string meaning, double lower, double upper);
// Any number; maximum likelihood looks within +-box.
Parameter real_parameter(std::string name, std::string meaning, double box = 20.0);

// Refuses empty or double names, empty ranges, boxes outside the range, and prior_sd <= 0.
void check_parameters(const std::vector<Parameter>& parameters);

}  // namespace likely::choice
