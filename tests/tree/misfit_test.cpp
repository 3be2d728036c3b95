#include "likely/tree/misfit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>

#include "likely/core/create.hpp"

namespace likely {
namespace {

// Knows that it counts.
struct Counter {
  Buffer count;
  std::string misfit() const { return part_misfit("count", count, {}, DType::i64, Values::count); }
  LIKELY_PARTS(count)
};
struct Layer {
  Tensor weight;
  std::optional<Counter> counter;
  LIKELY_PARTS(weight, counter)
};
struct Model {
  std::vector<Layer> layers;
  std::pair<Tensor, Counter> last;
  LIKELY_PARTS(layers, last)
};

Counter counting(double count) { return {full({}, count, DType::i64)}; }

TEST(Misfit, IsFoundBelowEverythingThatHasParts) {
  Model model{{{ones({2}), std::nullopt}, {ones({3}), counting(1)}}, {ones({1}), counting(2)}};
  EXPECT_EQ(misfit(model), "");
  model.last.second = counting(-1);
  EXPECT_EQ(misfit(model), "last.1.count holds -1, must be a count from 0 to 2^53");
  model.layers[1].counter->count = ones({2});
  EXPECT_EQ(misfit(model), "layers.1.counter.count is (2,) f32, must be () i64");
  model.layers[1].counter->count = Tensor();
  EXPECT_EQ(misfit(model), "layers.1.counter.count is empty, must be () i64");
  EXPECT_EQ(misfit(counting(-2)), "count holds -2, must be a count from 0 to 2^53");
  EXPECT_EQ(misfit(full({}, NAN)), "");
}

TEST(Misfit, OfValuesFollowsTheirRange) {
  const double inf = std::numeric_limits<double>::infinity();
  struct Case {
    Values values;
    std::vector<double> fine, wrong;
    std::string demanded;
  };
  for (const Case& one :
       {Case{Values::any, {NAN, -inf}, {}, ""}, Case{Values::not_nan, {-inf, inf, 0}, {NAN}, "a number"},
        Case{Values::finite, {-1e300, 0}, {NAN, inf, -inf}, "finite"},
        Case{Values::not_negative, {0, inf}, {NAN, -1e-300, -inf}, "at least 0"},
        Case{Values::at_least_0, {0, 1e300}, {NAN, -1, inf}, "finite and at least 0"},
        Case{Values::positive, {1e-300}, {NAN, 0, -1, inf}, "finite and above 0"},
        Case{Values::count, {0, 0x1p53}, {NAN, -1, 0x1p54}, "a count from 0 to 2^53"}}) {
    for (const double value : one.fine) EXPECT_EQ(number_misfit("x", value, one.values), "") << value;
    for (const double value : one.wrong) {
      EXPECT_TRUE(number_misfit("x", value, one.values).ends_with(", must be " + one.demanded)) << value;
      const Tensor several = tensor(std::vector<double>{1.0, value, 1.0});
      EXPECT_TRUE(values_misfit("x", several, one.values).starts_with("x holds ")) << value;
    }
  }
  EXPECT_EQ(number_misfit("x", std::numeric_limits<std::int64_t>::max(), Values::count),
            "x is 9223372036854775807, must be a count from 0 to 2^53");
}

}  // namespace
}  // namespace likely
