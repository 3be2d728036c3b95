// Models, priors, bounds and populations as people write them on a command line.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "likely/models/choice/model.hpp"
#include "likely/ops/rng.hpp"

namespace likely::choice {

// How parameters are estimated.
enum class Method : std::uint8_t {
  mle,   // maximum likelihood, each subject alone
  map,   // the mode of each subject's posterior, with Laplace's evidence
  em,    // a population and its members, by expectation and maximization
  nuts,  // the same by sampling: full hierarchical Bayes
};
// Refuses other names, and says the nearest.
Method method_named(const std::string& name);
std::string name_of(Method method);

struct ModelRequest {
  std::vector<std::string> names{};  // of named models
  std::string learn{}, choose{};     // one more, put together from parts: "dual,decay" and "softmax,lapse"
  std::vector<std::string>
      priors{};  // "0,6.25": mean and variance, unconstrained; "beta=1,0.5": of one parameter
  std::vector<std::string> bounds{};  // "beta=0,20"
  double initial_value = 0.0;
};

// The models for so many options and cues. Bounds are where maximum likelihood looks; for the other methods
// they become the ends of a scaled logit. Refuses models that are named twice, text that is not understood,
// parameters that no model has (naming the nearest), and bounds outside a parameter's range.
std::vector<Model> make_models(const ModelRequest& request, Method method, int options, int cues = 0);

// How many numbers lay outside of their parameter's range, by the law and the range.
class Redrawn {
 public:
  void add(const std::string& law, const Parameter& parameter);
  // "--param alpha=uniform:0,2: alpha lies between 0 and 1: 12 numbers outside were drawn again".
  std::vector<std::string> warnings() const;

 private:
  std::map<std::string, std::int64_t> counts_;
};

// Natural parameters of `count` people. Each of `laws` is "alpha=0.3" or a law: "alpha=uniform:0,1",
// "beta=exponential:10" (its mean), "normal:mean,sd", "lognormal:mean,sd" (of the logarithm),
// "gamma:shape,scale", "beta:a,b", or "prior:mean,sd" (normal on the unconstrained scale). Parameters without
// a law have "prior:<their prior mean>,1". Numbers outside a parameter's range are drawn again, and counted
// in `redrawn`, if it is there. More people do not change the first. Refuses count < 1, laws that are not
// understood or cannot give such a number, and parameters that the model does not have, unless `strangers`
// allows them.
std::vector<std::vector<double>> draw_population(const Model& model, const std::vector<std::string>& laws,
                                                 std::int64_t count, const Rng& rng, bool strangers = false,
                                                 Redrawn* redrawn = nullptr);

}  // namespace likely::choice
