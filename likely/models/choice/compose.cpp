// The parts that models are made of, and the models that have names.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "likely/core/error.hpp"
#include "likely/core/nearest_name.hpp"
#include "likely/models/choice/model.hpp"
#include "likely/models/choice/trials.hpp"

namespace likely::choice {

namespace {

// A model that is being put together.
struct Draft {
  Model model;
  // Which kind of learner, reading of outcomes, or chooser was already named; empty: none yet.
  std::string learner, sensitivity, chooser, counterfactual;

  int add(Parameter parameter) {
    model.parameters.push_back(std::move(parameter));
    return model.size() - 1;
  }
};

void claim(std::string& taken, const std::string& name) {
  if (!taken.empty()) {
    refuse("choice", fmt::format("\"{}\" and \"{}\" do the same thing: take one of them", taken, name));
  }
  taken = name;
}

struct ModelPart {
  std::string name, meaning;
  std::function<void(Draft&)> add;
};

void learner(Draft& draft, const std::string& name, Learning learning) {
  claim(draft.learner, name);
  draft.model.parts.learning = learning;
}

void chooser(Draft& draft, const std::string& name, Choosing choosing) {
  claim(draft.chooser, name);
  draft.model.parts.choosing = choosing;
}

const std::vector<ModelPart>& learn_table() {
  static const std::vector<ModelPart> table{
      {"rw", "Rescorla-Wagner: V += alpha (lambda - V)",
       [](Draft& d) {
         learner(d, "rw", Learning::delta);
         d.model.parts.alpha = d.add(rate_parameter("alpha", "learning rate"));
       }},
      {"dual", "a learning rate for positive and one for negative prediction errors",
       [](Draft& d) {
         learner(d, "dual", Learning::dual);
         d.model.parts.alpha = d.add(rate_parameter("alpha_gain", "learning rate for positive errors"));
         d.add(rate_parameter("alpha_loss", "learning rate for negative errors"));
       }},
      {"per-cue", "a learning rate for each cue",
       [](Draft& d) {
         learner(d, "per-cue", Learning::per_cue);
         d.model.parts.alpha = d.model.size();
         for (int j = 1; j <= d.model.parts.cues; ++j) {
           d.add(rate_parameter(fmt::format("alpha_{}", j), fmt::format("learning rate of cue {}", j)));
         }
       }},
      {"pearce-hall",
       "associability that follows surprise: V += kappa A (lambda - V), A += eta (|error| - A)",
       [](Draft& d) {
         learner(d, "pearce-hall", Learning::pearce_hall);
         d.model.parts.kappa = d.add(rate_parameter("kappa", "scale of the learning rate"));
         d.model.parts.eta = d.add(rate_parameter("eta", "how fast associability follows surprise"));
       }},
      {"kalman", "Kalman filter of values that drift: the learning rate is s / (s + 1)",
       [](Draft& d) {
         learner(d, "kalman", Learning::kalman);
         d.model.parts.drift =
             d.add(positive_parameter("drift", "variance that a value gains a trial", 10.0));
         d.model.parts.initial_variance = d.add(positive_parameter("s0", "variance at the start", 100.0));
       }},
      {"wsls", "win-stay, lose-shift: no values", [](Draft& d) { learner(d, "wsls", Learning::stay_shift); }},
      {"none", "nothing is learned", [](Draft& d) { learner(d, "none", Learning::none); }},
      {"v0", "the value at the start is a parameter",
       [](Draft& d) { d.model.parts.v0 = d.add(real_parameter("v0", "value at the start", 10.0)); }},
      {"rho", "outcomes are multiplied by rho",
       [](Draft& d) {
         claim(d.sensitivity, "rho");
         d.model.parts.rho = d.add(positive_parameter("rho", "sensitivity to outcomes"));
       }},
      {"rho-dual", "gains and losses are multiplied by numbers of their own",
       [](Draft& d) {
         claim(d.sensitivity, "rho-dual");
         d.model.parts.rho_gain = d.add(positive_parameter("rho_gain", "sensitivity to gains"));
         d.model.parts.rho_loss = d.add(positive_parameter("rho_loss", "sensitivity to losses"));
       }},
      {"decay", "cues that do not learn fall back: V += decay (V_0 - V)",
       [](Draft& d) {
         d.model.parts.decay = d.add(rate_parameter("decay", "forgetting of what is not chosen"));
       }},
      {"fict", "options that were not chosen learn from -lambda, like the one chosen",
       [](Draft& d) {
         claim(d.counterfactual, "fict");
         d.model.parts.fictitious = true;
       }},
      {"fict-own", "options that were not chosen learn from -lambda with a rate of their own",
       [](Draft& d) {
         claim(d.counterfactual, "fict-own");
         d.model.parts.fictitious = true;
         d.model.parts.alpha_fictitious =
             d.add(rate_parameter("alpha_fict", "learning rate of options that were not chosen"));
       }},
  };
  return table;
}

const std::vector<ModelPart>& choose_table() {
  static const std::vector<ModelPart> table{
      {"softmax", "p = softmax(beta V)",
       [](Draft& d) {
         chooser(d, "softmax", Choosing::softmax);
         d.model.parts.beta = d.add(positive_parameter("beta", "inverse temperature"));
       }},
      {"unit-softmax", "p = softmax(V), where sensitivities set the scale",
       [](Draft& d) { chooser(d, "unit-softmax", Choosing::softmax); }},
      {"greedy", "the best option, or with probability epsilon any",
       [](Draft& d) {
         chooser(d, "greedy", Choosing::greedy);
         d.model.parts.epsilon = d.add(rate_parameter("epsilon", "choices at random"));
       }},
      {"stay-shift", "stays after a win with probability win_stay, shifts after a loss with lose_shift",
       [](Draft& d) {
         chooser(d, "stay-shift", Choosing::rule);
         d.model.parts.win_stay = d.add(rate_parameter("win_stay", "staying after a win"));
         d.model.parts.lose_shift = d.add(rate_parameter("lose_shift", "shifting after a loss"));
       }},
      {"noisy-rule", "does what win-stay, lose-shift says, or with probability epsilon anything",
       [](Draft& d) {
         chooser(d, "noisy-rule", Choosing::rule);
         d.model.parts.epsilon = d.add(rate_parameter("epsilon", "choices at random"));
       }},
      {"stick", "perseveration: stick is added for the option chosen last",
       [](Draft& d) { d.model.parts.stick = d.add(real_parameter("stick", "pull of the last choice")); }},
      {"ck", "choice kernel: C += alpha_ck ([chosen] - C), and beta_ck C is added",
       [](Draft& d) {
         d.model.parts.alpha_kernel = d.add(rate_parameter("alpha_ck", "rate of the choice kernel"));
         d.model.parts.beta_kernel = d.add(real_parameter("beta_ck", "pull of the choice kernel"));
       }},
      {"bias", "a number is added for each option but the first",
       [](Draft& d) {
         d.model.parts.bias = d.model.size();
         for (int k = 2; k <= d.model.parts.options; ++k) {
           d.add(real_parameter(d.model.parts.options == 2 ? "bias" : fmt::format("bias_{}", k),
                                fmt::format("pull of option {}", k)));
         }
       }},
      {"lapse", "p = (1 - lapse) p + lapse / options",
       [](Draft& d) {
         d.model.parts.lapse = d.add(rate_parameter("lapse", "choices that depend on nothing"));
       }},
  };
  return table;
}

struct Recipe {
  std::string name, learn, choose, meaning;
};

const std::vector<Recipe>& model_table() {
  static const std::vector<Recipe> table{
      {"rw", "rw", "softmax", "Rescorla-Wagner and softmax"},
      {"rw-dual", "dual", "softmax", "learning rates for positive and negative errors"},
      {"rw-stick", "rw", "softmax,stick", "with perseveration"},
      {"rw-dual-stick", "dual", "softmax,stick", "two learning rates and perseveration"},
      {"rw-decay", "rw,decay", "softmax", "forgetting of what is not chosen"},
      {"rw-fict", "rw,fict", "softmax", "learning about what was not chosen"},
      {"rw-ck", "rw", "softmax,ck", "with a choice kernel"},
      {"rw-v0", "rw,v0", "softmax", "with a value at the start"},
      {"rw-rho", "rw,rho", "unit-softmax", "sensitivity to outcomes instead of an inverse temperature"},
      {"rw-rho-dual", "rw,rho-dual", "unit-softmax", "sensitivities to gains and to losses"},
      {"rw-bias", "rw", "softmax,bias", "with a bias for some options"},
      {"rw-lapse", "rw", "softmax,lapse", "with choices that depend on nothing"},
      {"rw-greedy", "rw", "greedy", "the best option, or any with probability epsilon"},
      {"rw-per-cue", "per-cue", "softmax", "a learning rate for each cue"},
      {"pearce-hall", "pearce-hall", "softmax", "associability that follows surprise"},
      {"kalman", "kalman", "softmax", "a Kalman filter of drifting values"},
      {"ck", "none", "unit-softmax,ck", "habit alone: a choice kernel"},
      {"wsls", "wsls", "noisy-rule", "win-stay, lose-shift with noise"},
      {"wsls-dual", "wsls", "stay-shift", "win-stay and lose-shift with probabilities of their own"},
      {"bias", "none", "unit-softmax,bias", "fixed preferences"},
      {"random", "none", "unit-softmax", "all options alike: no parameters"},
  };
  return table;
}

template <class Entry>
const Entry& find(const std::vector<Entry>& table, const std::string& name, const char* what) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const Entry& e) { return e.name == name; });
  if (found != table.end()) return *found;
  std::vector<std::string> names;
  for (const Entry& entry : table) names.push_back(entry.name);
  refuse("choice", fmt::format("there is no {} \"{}\"{}; there are {}", what, name, did_you_mean(name, names),
                               fmt::join(names, ", ")));
}

template <class Entry>
std::vector<NamedPart> listed(const std::vector<Entry>& table) {
  std::vector<NamedPart> list;
  for (const Entry& entry : table) list.push_back({entry.name, entry.meaning});
  return list;
}

// Parts that make no sense without another.
void check_needs(const Draft& draft) {
  const Parts& parts = draft.model.parts;
  const bool values = parts.learning != Learning::none && parts.learning != Learning::stay_shift;
  const auto need = [](bool there, const char* part, const char* needed) {
    if (!there) refuse("choice", fmt::format("\"{}\" needs {}", part, needed));
  };
  const bool rule = parts.choosing == Choosing::rule;
  need(rule == (parts.learning == Learning::stay_shift), rule ? draft.chooser.c_str() : "wsls",
       rule ? "the learning part \"wsls\"" : "the choosing part \"noisy-rule\" or \"stay-shift\"");
  need(values || parts.beta < 0, "softmax", "something that learns values; take \"unit-softmax\"");
  need(values || parts.choosing != Choosing::greedy, "greedy", "something that learns values");
  need(values || parts.v0 < 0, "v0", "something that learns values");
  need(values || draft.sensitivity.empty(), draft.sensitivity.c_str(), "something that learns values");
  need(values || parts.decay < 0, "decay", "something that learns values");
  need(values || !parts.fictitious, draft.counterfactual.c_str(), "something that learns values");
  need(parts.alpha_fictitious < 0 || parts.learning != Learning::kalman, "fict-own",
       "a learning rate; with \"kalman\" take \"fict\"");
  const bool softmax = parts.choosing == Choosing::softmax;
  need(softmax || parts.stick < 0, "stick", "the choosing part \"softmax\" or \"unit-softmax\"");
  need(softmax || parts.alpha_kernel < 0, "ck", "the choosing part \"softmax\" or \"unit-softmax\"");
  need(softmax || parts.bias < 0, "bias", "the choosing part \"softmax\" or \"unit-softmax\"");
  need(softmax || parts.lapse < 0, "lapse", "the choosing part \"softmax\" or \"unit-softmax\"");
}

void check_options(const ModelOptions& options) {
  if (options.options < 2 || options.options > kMostOptions) {
    refuse("choice", fmt::format("a model has 2 to {} options, got {}", kMostOptions, options.options));
  }
  if (options.cues < 0 || options.cues > kMostCues) {
    refuse("choice", fmt::format("a model has at most {} cues, got {}", kMostCues, options.cues));
  }
  if (!std::isfinite(options.initial_value))
    refuse("choice", fmt::format("the initial value must be finite, got {}", options.initial_value));
}

void add_parts(Draft& draft, const std::vector<ModelPart>& table, const std::vector<std::string>& names,
               const char* what) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const ModelPart& part = find(table, names[i], what);
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<std::ptrdiff_t>(i)) {
      refuse("choice", fmt::format("the {} \"{}\" is named twice", what, names[i]));
    }
    part.add(draft);
  }
}

}  // namespace

Model compose_model(const std::vector<std::string>& learn, const std::vector<std::string>& choose,
                    const ModelOptions& options) {
  check_options(options);
  Draft draft;
  draft.model.parts.options = options.options;
  draft.model.parts.cues = options.cues == 0 ? options.options : options.cues;
  draft.model.parts.initial_value = options.initial_value;
  add_parts(draft, learn_table(), learn, "learning part");
  draft.model.parts.learned_from = draft.model.size();
  add_parts(draft, choose_table(), choose, "choosing part");
  if (draft.learner.empty())
    refuse("choice", "no learning part says what is learned: rw, dual, kalman, ... or none");
  if (draft.chooser.empty())
    refuse("choice", "no choosing part says how: softmax, unit-softmax, greedy, ...");
  check_needs(draft);
  draft.model.name = fmt::format("{}:{}", fmt::join(learn, ","), fmt::join(choose, ","));
  check_parameters(draft.model.parameters);
  return std::move(draft.model);
}

Model named_model(const std::string& name, const ModelOptions& options) {
  const Recipe& recipe = find(model_table(), name, "model");
  Model model = compose_model(split_parts(recipe.learn), split_parts(recipe.choose), options);
  model.name = name;
  return model;
}

std::vector<NamedPart> model_names() { return listed(model_table()); }
std::vector<NamedPart> learn_parts() { return listed(learn_table()); }
std::vector<NamedPart> choose_parts() { return listed(choose_table()); }

std::vector<std::string> split_parts(const std::string& list) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (start <= list.size() && !list.empty()) {
    const std::size_t end = std::min(list.find(',', start), list.size());
    std::string part = list.substr(start, end - start);
    part.erase(0, std::min(part.find_first_not_of(' '), part.size()));
    part.erase(part.find_last_not_of(' ') + 1);
    parts.push_back(std::move(part));
    start = end + 1;
  }
  return parts;
}

}  // namespace likely::choice
