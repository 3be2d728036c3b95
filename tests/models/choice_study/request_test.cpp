#include "likely/models/choice_study/request.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/refusal.hpp"

namespace likely::choice {

namespace {

using Numbers = std::vector<double>;

Numbers column(const std::vector<Numbers>& rows, std::size_t k) {
  Numbers values;
  for (const Numbers& row : rows) values.push_back(row[k]);
  return values;
}

// The mean, and the mean of squares.
std::pair<double, double> moments(const Numbers& values) {
  double first = 0.0, second = 0.0;
  for (const double x : values) {
    first += x / static_cast<double>(values.size());
    second += x * x / static_cast<double>(values.size());
  }
  return {first, second};
}

TEST(Request, MakesNamedAndComposedModelsWithPriorsAndBounds) {
  const ModelRequest request{.names = {"rw", "rw-stick"},
                             .learn = "dual,decay",
                             .choose = "softmax",
                             .priors = {"0,4", "beta=1,0.25"},
                             .bounds = {"beta=0.5,8"}};
  const std::vector<Model> models = make_models(request, Method::map, 3);
  ASSERT_EQ(models.size(), 3U);
  EXPECT_EQ(models[2].name, "dual,decay:softmax");
  EXPECT_EQ(models[1].parts.options, 3);
  EXPECT_EQ(models[1].parameter("alpha").prior_sd, 2.0);
  EXPECT_EQ(models[1].parameter("beta").prior_mean, 1.0);
  EXPECT_EQ(models[1].parameter("beta").prior_sd, 0.5);
  // Between the bounds, by a scaled logit.
  EXPECT_DOUBLE_EQ(models[0].parameter("beta").natural(0.0), 4.25);
  EXPECT_NEAR(models[0].parameter("beta").natural(40.0), 8.0, 1e-12);
  // Maximum likelihood looks there, and the scale stays.
  const Model alone = make_models(request, Method::mle, 2)[0];
  EXPECT_EQ(alone.parameter("beta").box_upper, 8.0);
  EXPECT_DOUBLE_EQ(alone.parameter("beta").natural(0.0), 1.0);
}

TEST(Request, RefusesWhatItDoesNotUnderstand) {
  const auto make = [](const ModelRequest& request) {
    return likely::testing::refusal_of([&] { make_models(request, Method::map, 2); });
  };
  EXPECT_EQ(make({}), "no model is named");
  EXPECT_EQ(make({.names = {"rw"}, .choose = "softmax"}),
            "`choose` needs `learn`: a model learns and chooses");
  EXPECT_EQ(make({.names = {"rw"}, .priors = {"gamma=0,1"}}),
            "`prior = gamma=0,1`: there is no parameter \"gamma\"; there are alpha, beta");
  EXPECT_EQ(make({.names = {"rw"}, .bounds = {"0,1"}}),
            "`bound = 0,1`: which parameter? `bound = beta=0,20`");
  EXPECT_EQ(make({.names = {"rw"}, .bounds = {"beta=0,1,2"}}),
            "`bound = beta=0,1,2`: two numbers are needed, `bound = beta=0,20`");
  EXPECT_EQ(likely::testing::refusal_of([] { method_named("vb"); }),
            "`method`: there is no method \"vb\"; there are mle, map, em, nuts");
  EXPECT_EQ(name_of(method_named("nuts")), "nuts");
}

TEST(Request, PopulationsFollowTheirLaws) {
  const Model model = named_model("rw");
  const std::int64_t count = 20000;
  const auto draw = [&](const std::vector<std::string>& laws) {
    return draw_population(model, laws, count, Rng(5));
  };
  // Means and mean squares in closed form; 5 standard errors of 20,000 draws at most.
  const auto uniform = draw({"alpha=uniform:0.2,0.8", "beta=exponential:10"});
  EXPECT_NEAR(moments(column(uniform, 0)).first, 0.5, 0.007);
  EXPECT_NEAR(moments(column(uniform, 0)).second, 0.28, 0.007);
  EXPECT_NEAR(moments(column(uniform, 1)).first, 10.0, 0.4);
  EXPECT_NEAR(moments(column(uniform, 1)).second, 200.0, 18.0);
  const auto others = draw({"alpha=beta:2,3", "beta=gamma:4,0.5"});
  EXPECT_NEAR(moments(column(others, 0)).first, 0.4, 0.008);
  EXPECT_NEAR(moments(column(others, 0)).second, 0.2, 0.008);
  EXPECT_NEAR(moments(column(others, 1)).first, 2.0, 0.04);
  EXPECT_NEAR(moments(column(others, 1)).second, 5.0, 0.2);
  const auto logs = draw({"alpha=0.25", "beta=lognormal:0,0.5"});
  EXPECT_EQ(column(logs, 0), Numbers(static_cast<std::size_t>(count), 0.25));
  EXPECT_NEAR(moments(column(logs, 1)).first, std::exp(0.125), 0.025);
  // By default the logarithm of beta is standard normal; a normal law is cut at the range.
  const auto usual = draw({"alpha=normal:0.5,10"});
  EXPECT_NEAR(moments(column(usual, 1)).first, std::exp(0.5), 0.08);
  EXPECT_NEAR(moments(column(usual, 0)).first, 0.5, 0.011);
  const auto narrow = draw({"beta=prior:1,0.1"});
  EXPECT_NEAR(moments(column(narrow, 1)).first, std::exp(1.005), 0.01);
  // More people do not change the first.
  const auto few = draw_population(model, {}, 3, Rng(5));
  const auto more = draw_population(model, {}, 9, Rng(5));
  EXPECT_TRUE(std::equal(few.begin(), few.end(), more.begin()));
}

TEST(Request, PopulationsRefuseOtherLaws) {
  const Model model = named_model("rw");
  const auto draw = [&](const std::string& law) {
    return likely::testing::refusal_of([&] { draw_population(model, {law}, 2, Rng(1)); });
  };
  EXPECT_EQ(draw("alpha"), "`param = alpha`: this is not NAME=LAW");
  EXPECT_EQ(draw("alpha=uniform:1,0"),
            "`param = alpha=uniform:1,0`: this is no law of the form uniform:low,high");
  EXPECT_EQ(draw("alpha=uniform:0"),
            "`param = alpha=uniform:0`: this is no law of the form uniform:low,high");
  EXPECT_EQ(draw("alpha=beta:1,x"), "`param = alpha=beta:1,x`: \"x\" is not a number");
  EXPECT_EQ(draw("alhpa=0.5"), "`param = alhpa=0.5`: rw has no parameter \"alhpa\"; did you mean \"alpha\"?");
  EXPECT_EQ(draw("beta=-1"), "`param = beta=-1`: beta lies between 0 and inf, and no such number was drawn");
  EXPECT_EQ(likely::testing::refusal_of([&] { draw_population(model, {}, 0, Rng(1)); }),
            "there must be at least 1 subject, got 0");
}

}  // namespace

}  // namespace likely::choice
