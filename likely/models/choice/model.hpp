// Models of choice: how values are learned and how they become choices, put together from parts.
//
//   choice::Model model = choice::named_model("rw-stick");
//   choice::Model mine = choice::compose_model({"dual", "decay"}, {"softmax", "lapse"}, {.options = 4});
//   mine.parameter("beta").box_upper = 50;
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "likely/models/choice/parameters.hpp"

namespace likely::choice {

class CustomModel;

// What changes the values of cues.
enum class Learning : std::uint8_t {
  none,         // nothing is learned
  delta,        // V += alpha (lambda - V): Rescorla-Wagner
  dual,         // with alpha_gain where the error is positive, alpha_loss where it is not
  per_cue,      // with an alpha for each cue
  pearce_hall,  // V += kappa A (lambda - V), A += eta (|lambda - V| - A): associability A, from 1
  kalman,       // V += g (lambda - V), g = s / (s + 1), s -= g s, then s += drift for every cue
  stay_shift,   // no values: win-stay, lose-shift
};

// What turns values into probabilities.
enum class Choosing : std::uint8_t {
  softmax,  // p_k = e^(beta V_k + ...) / sum
  greedy,   // the best option, or with probability epsilon any
  rule,     // what stay_shift says
};

// Which parts a model has, and where each finds its parameters; -1: it has none.
struct Parts {
  int options = 2;
  int cues = 2;
  int learned_from = 0;  // how many parameters, the first ones, values depend on
  double initial_value = 0.0;
  Learning learning = Learning::none;
  Choosing choosing = Choosing::softmax;
  bool fictitious = false;  // options that were not chosen learn from -lambda
  int alpha = -1;           // delta: alpha; dual: alpha_gain, alpha_loss; per_cue: one a cue
  int kappa = -1, eta = -1;
  int drift = -1, initial_variance = -1;  // in units of the noise of an outcome
  int v0 = -1;
  int rho = -1;                      // lambda = rho outcome,
  int rho_gain = -1, rho_loss = -1;  // or rho_gain gain + rho_loss loss
  int decay = -1;                    // cues that did not learn: V += decay (V_0 - V)
  int alpha_fictitious = -1;         // a rate of its own for what was not chosen
  int beta = -1;                     // without it 1
  int epsilon = -1;
  int stick = -1;  // added for the option chosen last
  int alpha_kernel = -1,
      beta_kernel = -1;  // C_k += alpha_kernel ([k chosen] - C_k), beta_kernel C_k is added
  int bias = -1;         // the first of options - 1: added for the second, third, ... option
  int lapse = -1;        // p = (1 - lapse) p + lapse / offered
  int win_stay = -1, lose_shift = -1;
};

class Model {
 public:
  std::string name;
  // In the order in which every array of parameters has them.
  std::vector<Parameter> parameters;
  Parts parts;
  // A model of the user's own; parts then only say how many options and cues there are.
  std::shared_ptr<const CustomModel> custom;

  int size() const { return static_cast<int>(parameters.size()); }
  // By name. Refuses one that is not there, and says which are.
  Parameter& parameter(const std::string& wanted);
  const Parameter& parameter(const std::string& wanted) const;
  int place(const std::string& wanted) const;
  // Of all parameters at once: natural from unconstrained numbers, and back.
  std::vector<double> natural(const std::vector<double>& unconstrained) const;
  std::vector<double> unconstrained(const std::vector<double>& natural) const;
};

struct ModelOptions {
  int options = 2;
  int cues = 0;                // as many as options, if 0
  double initial_value = 0.0;  // of every cue, where it is not a parameter
};

// A part or a model, and what it does.
struct NamedPart {
  std::string name;
  std::string meaning;
};

// One of model_names(). Refuses others, naming the nearest.
Model named_model(const std::string& name, const ModelOptions& options = {});
std::vector<NamedPart> model_names();

// Any of learn_parts() and of choose_parts() together. Refuses names that are not among them (naming the
// nearest), two parts that do the same thing, and parts that need another one.
Model compose_model(const std::vector<std::string>& learn, const std::vector<std::string>& choose,
                    const ModelOptions& options = {});
std::vector<NamedPart> learn_parts();
std::vector<NamedPart> choose_parts();

// "a,b" as {"a", "b"}.
std::vector<std::string> split_parts(const std::string& list);

}  // namespace likely::choice
