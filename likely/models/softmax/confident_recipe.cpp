#include "likely/models/softmax/confident_recipe.hpp"

#include <fmt/format.h>

#include "likely/core/cancel.hpp"
#include "likely/runs/kept_model.hpp"
#include "likely/runs/objective.hpp"
#include "likely/runs/pictures.hpp"
#include "likely/runs/rows.hpp"
#include "likely/train/history.hpp"
#include "likely/train/interrupt.hpp"
#include "likely/train/metrics.hpp"

namespace likely::confidence {

using namespace runs;  // NOLINT(google-build-using-namespace)

namespace {

struct PairKeys {
  Rng inside, model, elsewhere;
};
PairKeys pair_keys(const Run& run) {
  Rng rng(run.seed);
  Rng inside = rng.split();
  Rng model = rng.split();
  return {inside, model, rng.split()};
}

// Inside, as the rows say it.
Sizes sizes_of(const Inside& inside) {
  const Tensor x = inside.train.range(0, 1).x;
  return {.input = x.shape().sub(1, x.rank()), .outputs = inside.classes};
}

Pair load_pair(const detail::LoadPair& load, const Run& run, const Sizes& sizes) {
  Pair pair;
  runs::detail::load_within_file(run, [&] { pair = load(run, sizes); });
  return pair;
}

// Also while a training is judged, which its owner tells by itself.
Tensor outputs_of(const Predictor& predict, const Tensor& x) {
  return runs::detail::outputs_for(predict, data::Dataset(x), train::detail::interrupt_arrived);
}

std::string percent(const Rate& rate) {
  return fmt::format("{:.1f} +- {:.1f}", 100.0 * rate.value, 100.0 * rate.standard_error);
}

// Both classifiers on the rows inside and on those of each kind outside. Ctrl-C ends it with Cancelled.
struct PairJudged {
  std::vector<Measured> figures;
  std::string text;
  HeldOutLogits held_out;  // of the joint one
};

PairJudged judge_pair(const ConfidentParts& parts, const Run& run, const Inside& inside, const Pair& pair) {
  const data::Batch test = inside.test.all();
  PairJudged judged;
  std::vector<Tensor> logits;
  for (const Predictor* predict : {&pair.joint, &pair.plain}) {
    logits.push_back(outputs_of(*predict, test.x));
    judged.figures.push_back({.name = predict == &pair.joint ? "test accuracy" : "plain accuracy",
                              .better = Better::higher,
                              .value = train::share_of_right_labels(logits.back(), test.y).item(),
                              .percent = true});
  }
  judged.held_out = {.of = "test", .logits = logits[0], .labels = test.y};
  judged.text = fmt::format("{:<14} {:<16} {:>14} {:>14} {:>14} {:>14}\n", "rows outside", "score",
                            "AUROC plain", "AUROC joint", "FPR95 plain", "FPR95 joint");
  for (const Elsewhere& outside : parts.elsewhere(run, inside, pair_keys(run).elsewhere)) {
    const Tensor joint = outputs_of(pair.joint, outside.x), plain = outputs_of(pair.plain, outside.x);
    for (const Score score : {Score::max_probability, Score::energy}) {
      const Detection with = detection(familiarity(score, logits[0]), familiarity(score, joint));
      const Detection without = detection(familiarity(score, logits[1]), familiarity(score, plain));
      judged.text += fmt::format("{:<14} {:<16} {:>14} {:>14} {:>14} {:>14}\n", outside.name, name_of(score),
                                 percent(without.auroc), percent(with.auroc), percent(without.fpr_at_95_tpr),
                                 percent(with.fpr_at_95_tpr));
      if (score != Score::max_probability) continue;
      judged.figures.push_back({.name = "AUROC " + outside.name,
                                .better = Better::higher,
                                .value = with.auroc.value,
                                .percent = true});
      judged.figures.push_back({.name = "plain AUROC " + outside.name,
                                .better = Better::neither,
                                .value = without.auroc.value,
                                .percent = true});
    }
  }
  return judged;
}

void draw_pair(const ConfidentParts& parts, const std::vector<train::EpochReport>& history,
               const Inside& inside, const Pair& pair, PictureFolder& album) {
  album.attempt("curves", [&] { draw_curves(history, album); });
  if (parts.pictures) album.attempt("pictures", [&] { parts.pictures(pair, inside, album); });
}

nn::Network players_network(const Run& run, std::int64_t inputs, std::int64_t outputs, Rng rng) {
  return nn::network(fmt::format("linear {0}, relu, linear {0}, relu, linear {1}",
                                 run.settings.whole("player_width"), outputs),
                     {inputs}, rng);
}

}  // namespace

std::vector<Setting> confident_settings(const ConfidentDefaults& defaults) {
  return with(
      fit_settings({.epochs = defaults.epochs, .batch = defaults.batch, .lr = defaults.lr}),
      {number_setting("beta", defaults.beta, "what being sure of generated rows costs the classifier", 0.0,
                      1e6),
       number_setting("generator_beta", defaults.generator_beta, "what it costs the generator", 0.0, 1e6),
       word_setting("generator", "non_saturating", "its loss: -log D(G), or log(1 - D(G)) as in the paper",
                    {"non_saturating", "saturating"}),
       number_setting("player_lr", defaults.player_lr, "the rate of generator and critic", 1e-9, 10.0),
       whole_setting("player_width", defaults.player_width, "hidden units a layer of generator and critic", 1,
                     10'000),
       number_setting("spread", defaults.spread, "standard deviation of what is added to generated rows", 0.0,
                      1e6),
       whole_setting("noise", defaults.noise, "numbers that the generator draws for a row", 1, 10'000)});
}

namespace detail {

JointOptions joint_options(const Run& run) {
  const Settings& settings = run.settings;
  return {.beta = settings.number("beta"),
          .generator_beta = settings.number("generator_beta"),
          .generator_loss = settings.text("generator") == "saturating" ? GeneratorLoss::saturating
                                                                       : GeneratorLoss::non_saturating,
          .noise = settings.whole("noise"),
          .spread = settings.number("spread"),
          .classifier_lr = settings.number("lr"),
          .generator_lr = settings.number("player_lr"),
          .critic_lr = settings.number("player_lr")};
}

nn::Network make_generator(const Run& run, std::int64_t numbers, Rng rng) {
  return players_network(run, run.settings.whole("noise"), numbers, rng);
}
nn::Network make_critic(const Run& run, std::int64_t numbers, Rng rng) {
  return players_network(run, numbers, 1, rng);
}

Recipe complete_confident(Recipe about, const ConfidentParts& parts, const TrainPair& train,
                          const LoadPair& load) {
  about.train = [=](const Run& run) {
    const PairKeys keys = pair_keys(run);
    const Inside inside = parts.inside(run, keys.inside);
    TrainedPair trained = train(run, inside, sizes_of(inside), keys.model);
    Report report{.epochs = trained.epochs,
                  .seconds = trained.history.empty() ? 0.0 : trained.history.back().seconds,
                  .stopped = trained.stopped};
    if (trained.stopped == train::Stopped::interrupted) return report;
    try {
      PairJudged judged = judge_pair(parts, run, inside, trained.pair);
      report.figures = std::move(judged.figures);
      report.text = std::move(judged.text);
    } catch (const Cancelled&) {
      // All is learned and kept: whoever goes on only judges.
      report.stopped = train::Stopped::interrupted;
      return report;
    }
    report.draw = [=, trained = std::move(trained)](PictureFolder& album) {
      draw_pair(parts, trained.history, inside, trained.pair, album);
    };
    return report;
  };
  about.evaluate = [=](const Run& run) {
    const Pair pair = load_pair(load, run, runs::detail::kept_sizes(run));
    PairJudged judged = judge_pair(parts, run, parts.inside(run, pair_keys(run).inside), pair);
    return Report{.figures = std::move(judged.figures),
                  .text = std::move(judged.text),
                  .held_out = std::move(judged.held_out)};
  };
  about.predict = [=](const Run& run, const std::filesystem::path& file) {
    const Sizes sizes = runs::detail::kept_sizes(run);
    RowsOfFile rows = read_rows(file, sizes.input);
    const Predictor joint = load_pair(load, run, sizes).joint;
    return Predicted{classification().predictions(runs::detail::outputs_for(joint, data::Dataset(rows.x))),
                     std::move(rows.notes)};
  };
  about.plot = [=](const Run& run) {
    const Pair pair = load_pair(load, run, runs::detail::kept_sizes(run));
    PictureFolder album(run.out);
    draw_pair(parts, train::read_history(run.out), parts.inside(run, pair_keys(run).inside), pair, album);
    return album.all_pictures();
  };
  return about;
}

}  // namespace detail

}  // namespace likely::confidence
