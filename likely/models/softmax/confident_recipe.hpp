// What the recipes of confident classifiers have in common: a joint learner beside a plain classifier, judged
// by rows that neither has learned from, inside and outside. Internal to models/softmax/.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "likely/data/feed.hpp"
#include "likely/io/model_file.hpp"
#include "likely/models/softmax/beside_plain.hpp"
#include "likely/runs/kept_model.hpp"
#include "likely/runs/picture_folder.hpp"
#include "likely/runs/recipe.hpp"
#include "likely/train/run.hpp"

namespace likely::confidence {

// Rows from elsewhere, of one kind. Only tests see them.
struct Elsewhere {
  std::string name;
  Tensor x;
};

// A trained pair without its types.
struct Pair {
  runs::Predictor joint, plain;
  std::function<Tensor(std::int64_t rows, Rng rng)> generate;  // as the classifier was shown them
};

// What the rows that were learned from, and the test rows, are.
struct Inside {
  data::Dataset train, test;
  std::int64_t classes = 0;
};

struct ConfidentParts {
  std::function<Inside(const runs::Run&, Rng)> inside{};
  std::function<std::vector<Elsewhere>(const runs::Run&, const Inside&, Rng)> elsewhere{};
  std::function<void(const Pair&, const Inside&, runs::PictureFolder&)> pictures{};
};

namespace detail {

struct TrainedPair {
  train::Stopped stopped = train::Stopped::finished;
  std::int64_t epochs = 0;
  std::vector<train::EpochReport> history{};  // over all resumptions
  Pair pair{};                                // nothing where it was interrupted
};
using TrainPair = std::function<TrainedPair(const runs::Run&, const Inside&, const runs::Sizes&, Rng)>;
using LoadPair = std::function<Pair(const runs::Run&, const runs::Sizes&)>;

// All functions of the recipe, made of these.
runs::Recipe complete_confident(runs::Recipe about, const ConfidentParts& parts, const TrainPair& train,
                                const LoadPair& load);
JointOptions joint_options(const runs::Run& run);

template <Tree Classifier>
Pair pair_of(Confident<Classifier> trained, const runs::Run& run, const runs::Sizes& sizes) {
  const auto kept = std::make_shared<const Confident<Classifier>>(std::move(trained));
  Shape rows = sizes.input;
  rows.insert(0, -1);
  const std::int64_t noise = run.settings.whole("noise");
  const double spread = run.settings.number("spread");
  return {.joint = [kept](const Tensor& x) { return nn::forward(kept->joint, x); },
          .plain = [kept](const Tensor& x) { return nn::forward(kept->plain, x); },
          .generate =
              [kept, rows, noise, spread](std::int64_t count, Rng rng) {
                const Tensor made = kept->generator(rng.normal({count, noise}));
                const Tensor around = spread > 0.0 ? made + rng.normal(made.shape(), 0.0, spread) : made;
                return reshape(around, rows);
              }};
}

// For rows of so many numbers.
nn::Network make_generator(const runs::Run& run, std::int64_t numbers, Rng rng);
nn::Network make_critic(const runs::Run& run, std::int64_t numbers, Rng rng);

}  // namespace detail

// Settings that all of them have: epochs, batch, lr, player_lr, beta, generator_beta, noise,
// spread, player_width, generator.
struct ConfidentDefaults {
  std::int64_t epochs = 100, batch = 64, noise = 8, player_width = 64;
  double lr = 1e-3, player_lr = 1e-3, beta = 1.0, generator_beta = 1.0, spread = 0.0;
};
std::vector<runs::Setting> confident_settings(const ConfidentDefaults& defaults);

template <Tree Classifier>
runs::Recipe confident_recipe(
    const runs::Recipe& about, const ConfidentParts& parts,
    const std::function<Classifier(const runs::Run&, const runs::Sizes&, Rng)>& make_classifier) {
  return detail::complete_confident(
      about, parts,
      [=](const runs::Run& run, const Inside& inside, const runs::Sizes& sizes, Rng rng) {
        const std::int64_t numbers = sizes.input.size();
        nn::Network critic = detail::make_critic(run, numbers, rng.split());
        nn::Network generator = detail::make_generator(run, numbers, rng.split());
        BesidePlain<Classifier> learner(make_classifier(run, sizes, rng.split()), std::move(generator),
                                        std::move(critic), detail::joint_options(run));
        auto result = train::run(
            learner, {.data = data::feed(inside.train,
                                         {.batch = std::min(run.settings.whole("batch"), inside.train.size()),
                                          .drop_last = true}),
                      .epochs = run.settings.whole("epochs"),
                      .seed = run.seed,
                      .out = run.out,
                      .resume = run.resume,
                      .figures = false,
                      .progress = train::Progress::silent,
                      .events = run.events});
        detail::TrainedPair trained{
            .stopped = result.stopped, .epochs = result.epochs, .history = std::move(result.history)};
        if (result.stopped == train::Stopped::interrupted) return trained;
        io::save(runs::detail::model_file(run), result.best, runs::detail::provenance(run, sizes));
        trained.pair = detail::pair_of(std::move(result.best), run, sizes);
        return trained;
      },
      [=](const runs::Run& run, const runs::Sizes& sizes) {
        Rng rng(run.seed);
        const Classifier classifier = make_classifier(run, sizes, rng.split());
        Confident<Classifier> kept{classifier, classifier,
                                   detail::make_generator(run, sizes.input.size(), rng.split())};
        io::load(runs::detail::model_file(run), kept);
        return detail::pair_of(std::move(kept), run, sizes);
      });
}

}  // namespace likely::confidence
