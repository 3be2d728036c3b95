#include "likely/models/choice/model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/refusal.hpp"

namespace likely::choice {
namespace {

using likely::testing::refusal_of;

std::string names(const Model& model) {
  std::string list;
  for (const Parameter& p : model.parameters) list += (list.empty() ? "" : " ") + p.name;
  return list;
}

TEST(ChoiceModel, NamesHaveTheirParameters) {
  EXPECT_EQ(names(named_model("rw")), "alpha beta");
  EXPECT_EQ(names(named_model("rw-dual-stick")), "alpha_gain alpha_loss beta stick");
  EXPECT_EQ(names(named_model("rw-ck")), "alpha beta alpha_ck beta_ck");
  EXPECT_EQ(names(named_model("rw-bias", {.options = 4})), "alpha beta bias_2 bias_3 bias_4");
  EXPECT_EQ(names(named_model("rw-per-cue", {.options = 2, .cues = 3})), "alpha_1 alpha_2 alpha_3 beta");
  EXPECT_EQ(names(named_model("kalman")), "drift s0 beta");
  EXPECT_EQ(names(named_model("pearce-hall")), "kappa eta beta");
  EXPECT_EQ(names(named_model("wsls")), "epsilon");
  EXPECT_EQ(names(named_model("wsls-dual")), "win_stay lose_shift");
  EXPECT_EQ(names(named_model("random")), "");
  EXPECT_EQ(names(compose_model(split_parts("dual, v0,rho"), split_parts("softmax,lapse"))),
            "alpha_gain alpha_loss v0 rho beta lapse");
  for (const NamedPart& name : model_names()) {
    EXPECT_EQ(named_model(name.name).name, name.name);
    EXPECT_FALSE(name.meaning.empty());
  }
}

TEST(ChoiceModel, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(refusal_of([] { named_model("rw-stik"); }).substr(0, 62),
            "[choice] there is no model \"rw-stik\"; did you mean \"rw-stick\"?");
  EXPECT_EQ(refusal_of([] {
              compose_model({"rw", "decai"}, {"softmax"});
            }).substr(0, 65),
            "[choice] there is no learning part \"decai\"; did you mean \"decay\"?");
  EXPECT_EQ(refusal_of([] {
              compose_model({"rw", "dual"}, {"softmax"});
            }),
            "[choice] \"rw\" and \"dual\" do the same thing: take one of them");
  EXPECT_EQ(refusal_of([] {
              compose_model({"rw", "rw"}, {"softmax"});
            }),
            "[choice] the learning part \"rw\" is named twice");
  EXPECT_EQ(refusal_of([] { compose_model({"decay"}, {"softmax"}); }),
            "[choice] no learning part says what is learned: rw, dual, kalman, ... or none");
  EXPECT_EQ(refusal_of([] { compose_model({"rw"}, {"stick"}); }),
            "[choice] no choosing part says how: softmax, unit-softmax, greedy, ...");
  EXPECT_EQ(refusal_of([] { compose_model({"none"}, {"softmax"}); }),
            "[choice] \"softmax\" needs something that learns values; take \"unit-softmax\"");
  EXPECT_EQ(refusal_of([] { compose_model({"wsls"}, {"softmax"}); }),
            "[choice] \"wsls\" needs the choosing part \"noisy-rule\" or \"stay-shift\"");
  EXPECT_EQ(refusal_of([] {
              compose_model({"rw"}, {"greedy", "stick"});
            }),
            "[choice] \"stick\" needs the choosing part \"softmax\" or \"unit-softmax\"");
  EXPECT_EQ(refusal_of([] { named_model("rw", {.options = 1}); }),
            "[choice] a model has 2 to 16 options, got 1");
  EXPECT_EQ(refusal_of([] { named_model("rw", {.initial_value = std::nan("")}); }),
            "[choice] the initial value must be finite, got nan");
  EXPECT_EQ(refusal_of([] { compose_model({"rw"}, {"softmax"}, {.initial_value = -HUGE_VAL}); }),
            "[choice] the initial value must be finite, got -inf");
  EXPECT_EQ(refusal_of([] { named_model("rw").parameter("betta"); }),
            "[choice] rw has no parameter \"betta\", only alpha, beta; did you mean \"beta\"?");
}

TEST(ChoiceParameter, TransformsHaveTheirDerivatives) {
  const std::vector<Parameter> kinds{rate_parameter("a", ""), positive_parameter("b", ""),
                                     bounded_parameter("c", "", -1.0, 20.0), real_parameter("d", "")};
  for (const Parameter& p : kinds) {
    SCOPED_TRACE(p.name);
    for (const double u : {-30.0, -3.0, -0.4, 0.0, 0.7, 2.5}) {
      const double h = 1e-5;
      const TransformSlopes slopes = p.slopes(u);
      EXPECT_NEAR(slopes.first, (p.natural(u + h) - p.natural(u - h)) / (2 * h), 1e-7 * (1 + slopes.first));
      EXPECT_NEAR(slopes.second, (p.slopes(u + h).first - p.slopes(u - h).first) / (2 * h),
                  1e-7 * (1 + std::fabs(slopes.second)));
      if (u > -5) {
        EXPECT_NEAR(p.unconstrained(slopes.value), u, 1e-9);
      }
    }
  }
  const Model model = named_model("rw");
  const std::vector<double> natural = model.natural({0.0, std::log(3.0)});
  EXPECT_NEAR(natural[0], 0.5, 1e-15);
  EXPECT_NEAR(natural[1], 3.0, 1e-15);
  EXPECT_NEAR(model.unconstrained(natural)[1], std::log(3.0), 1e-15);
}

TEST(ChoiceParameter, RefusesWhatMakesNoSense) {
  const auto message = [](const auto& change) {
    Model model = named_model("rw");
    change(model);
    return refusal_of([&] { check_parameters(model.parameters); });
  };
  EXPECT_EQ(message([](Model& m) { m.parameters[1].name = "alpha"; }),
            "[choice] two parameters are called alpha");
  EXPECT_EQ(message([](Model& m) { m.parameters[1].box_upper = 0.0; }),
            "[choice] beta is looked for from 0 to 0: that must be finite and within 0 to inf");
  EXPECT_EQ(message([](Model& m) { m.parameters[1].prior_sd = 0.0; }),
            "[choice] the prior of beta is normal(0, 0): the second must be above 0");
  EXPECT_EQ(refusal_of([] { rate_parameter("alpha", "").unconstrained(1.0); }),
            "[choice] alpha must lie between 0 and 1, got 1");
}

}  // namespace
}  // namespace likely::choice
