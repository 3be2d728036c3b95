// Pictures by the real gnuplot, where it is installed (all other faults are tried with one that draws
// nothing): whatever fails or is killed while they are drawn, a picture is whole or not there, and the run is
// as it was.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "tests/faults/stage.hpp"
#include "tests/faults/supervisor.hpp"
#include "tests/faults/workplace.hpp"

namespace likely::faults {
namespace {

namespace fs = std::filesystem;
using testing::read_bytes;

bool is_whole(const fs::path& picture) {
  const std::string bytes = read_bytes(picture);
  if (picture.extension() == ".svg") return bytes.starts_with("<?xml") && bytes.ends_with("</svg>\n\n");
  return bytes.starts_with("\x89PNG") && bytes.substr(bytes.size() - 8, 4) == "IEND";
}

class Pictures : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_supervise()) GTEST_SKIP() << "this system does not let a process supervise another";
    if (std::system("gnuplot --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "gnuplot is not installed";
    const Outcome trained = work_.run({"train", "shallow-regression", "--rows", "20", "--units", "3",
                                       "--epochs", "2", "--out", "run", "--quiet"});
    ASSERT_EQ(trained.code, 0) << trained.errors;
    work_.keep_as_start();
  }
  Outcome plot(const Fault& fault = {}) const {
    return work_.run({"plot", "run", "--quiet"}, fault, {{"PATH", std::getenv("PATH")}});
  }
  // How many there are; those that are there have to be whole.
  int pictures() const {
    int found = 0;
    for (const auto& entry : fs::directory_iterator(work_.path() / "run/figures")) {
      if (entry.path().extension() != ".svg" && entry.path().extension() != ".png") continue;
      ++found;
      EXPECT_TRUE(is_whole(entry.path())) << entry.path();
    }
    return found;
  }
  std::string run() const {
    std::string text;
    for (const char* name : {"recipe.json", "config.json", "metrics.jsonl", "model.safetensors"})
      text += read_bytes(work_.path() / "run" / name);
    return text;
  }

  const Workplace work_;
};

TEST_F(Pictures, AreWholeOrNotThereWhateverFails) {
  const std::string before = run();
  ASSERT_EQ(pictures(), 0);  // those of the start were drawn by nobody
  const Outcome whole = plot();
  ASSERT_EQ(whole.code, 0) << whole.errors;
  const int all = pictures();
  ASSERT_GE(all, 4);
  ASSERT_GT(whole.calls.size(), 20U);
  EXPECT_EQ(left_behind(work_.path()), std::vector<std::string>());

  constexpr std::array kWays{How::kill, How::no_room, How::error, How::cut_short};
  const std::size_t some = all_of_them() ? whole.calls.size() * kWays.size() : 6;
  for (std::size_t i = 0; i < some; ++i) {
    const Fault fault{kWays[i % kWays.size()], i * whole.calls.size() / some};
    SCOPED_TRACE(std::string(name_of(fault.how)) + " call " + std::to_string(fault.at) + ", " +
                 whole.calls[fault.at]);
    work_.set();
    const Outcome outcome = plot(fault);
    SCOPED_TRACE("it ended with " + std::to_string(outcome.code) + " and said: " + outcome.errors);
    EXPECT_FALSE(outcome.hung);
    const int drawn = pictures();
    EXPECT_LE(drawn, all);
    // Pictures that are missing are told of.
    if (fault.how != How::kill && drawn < all) {
      EXPECT_NE(outcome.errors, "");
    }
    EXPECT_TRUE(run() == before);
    // The next one draws what is missing and tidies up.
    const Outcome then = plot();
    EXPECT_EQ(then.code, 0) << then.errors;
    EXPECT_EQ(pictures(), all);
    EXPECT_EQ(left_behind(work_.path()), std::vector<std::string>());
  }
}

}  // namespace
}  // namespace likely::faults
