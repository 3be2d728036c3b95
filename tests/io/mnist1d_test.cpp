#include "likely/io/mnist1d.hpp"

#include <gtest/gtest.h>

#include "likely/core/create.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::io {
namespace {

using testing::expect_refusal;
using testing::TemporaryFolder;
using testing::write_bytes;

TEST(Mnist1dFiles, HaveTheLabelFirst) {
  const TemporaryFolder folder;
  write_bytes(folder / "mnist1d_train.csv", "label,x0,x1\n3,0.5,-1\n1,2,4\n");
  write_bytes(folder / "mnist1d_test.csv", "label,x0,x1\n9,1,2\n");
  const data::Mnist1d curves = load_mnist1d(folder.path());
  EXPECT_TRUE(array_equal(curves.train.all().x, tensor({{0.5, -1.0}, {2.0, 4.0}})));
  EXPECT_TRUE(array_equal(curves.train.targets(), tensor({3, 1})));
  EXPECT_TRUE(array_equal(curves.test.targets(), tensor({9})));
}

TEST(Mnist1dFiles, RefuseWhatIsMissing) {
  const TemporaryFolder folder;
  write_bytes(folder / "mnist1d_train.csv", "label,x0\n3,0.5\n");
  expect_refusal(
      [&] { load_mnist1d(folder.path()); },
      "[load_mnist1d] neither mnist1d_test.csv nor mnist1d_test.csv.gz is in " + folder.path().string());
  write_bytes(folder / "mnist1d_test.csv", "digit,x0\n3,0.5\n");
  EXPECT_THROW(load_mnist1d(folder.path()), Error);
}

TEST(Mnist1dFiles, OfThePublicationAreWhole) {
  LIKELY_SHARED_DATA(folder, "mnist1d");
  const data::Mnist1d curves = load_mnist1d(folder);
  EXPECT_EQ(curves.train.all().x.shape(), Shape({4000, 40}));
  EXPECT_EQ(curves.test.all().x.shape(), Shape({1000, 40}));
  EXPECT_EQ(curves.train.targets().at({0}), 2.0);
  EXPECT_FLOAT_EQ(static_cast<float>(curves.train.range(0, 1).x.at({0, 0})), -0.332005667F);
}

}  // namespace
}  // namespace likely::io
