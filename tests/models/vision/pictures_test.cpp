#include "likely/models/vision/pictures.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "likely/likely.hpp"
#include "likely/models/vision/cnn.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::vision {
namespace {

using likely::testing::expect_refusal;

TEST(Mosaic, PutsImagesSideBySideWithGaps) {
  const Tensor images = reshape(arange(1.0, 13.0), {3, 2, 2});
  const std::vector<double> found = mosaic(images).to_vector<double>();
  ASSERT_EQ(mosaic(images).shape(), Shape({5, 5}));
  const double gap = std::nan("");
  const std::vector<double> wanted{1,   2,   gap, 5,   6,    //
                                   3,   4,   gap, 7,   8,    //
                                   gap, gap, gap, gap, gap,  //
                                   9,   10,  gap, gap, gap,  //
                                   11,  12,  gap, gap, gap};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (std::isnan(wanted[i])) {
      EXPECT_TRUE(std::isnan(found[i])) << i;
    } else {
      EXPECT_EQ(found[i], wanted[i]) << i;
    }
  }
  expect_refusal(
      [] {
        mosaic(zeros({2, 2}));
      },
      "[mosaic] images (count, height, width) are needed, got (2, 2)");
}

TEST(Pictures, OfFiltersAndActivationsAreWritten) {
  const likely::testing::TemporaryFolder folder;
  const Cnn1d signals({.channels = 5}, Rng(1));
  const Cnn2d images({.first = 4, .second = 6, .hidden = 30}, Rng(1));
  const Tensor curve = Rng(2).normal({1, 40});
  const Tensor digit = Rng(2).uniform({1, 28, 28});
  const auto written = [&](const std::string& run) {
    return std::filesystem::exists(folder / run / "figures" / "filters.gp") &&
           (run == "linear" || std::filesystem::exists(folder / run / "figures" / "activations.gp"));
  };
  runs::PictureFolder of_signals(folder / "signals");
  draw_filters(signals.first.weight, of_signals);
  draw_activations(curve, signals.layers(curve), "a signal", of_signals);
  EXPECT_TRUE(written("signals"));
  runs::PictureFolder of_images(folder / "images");
  draw_filters(images.first.weight, of_images);
  draw_activations(digit, images.layers(digit), "a digit", of_images);
  EXPECT_TRUE(written("images"));
  runs::PictureFolder of_rows(folder / "linear");
  draw_filters(images.out.weight, of_rows);
  EXPECT_TRUE(written("linear"));
  expect_refusal([&] { draw_filters(zeros({3}), of_rows); },
                 "[draw_filters] a weight (out, in, ...) is needed, got (3,)");
}

}  // namespace
}  // namespace likely::vision
