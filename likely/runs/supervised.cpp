#include "likely/runs/supervised.hpp"

#include <algorithm>

#include "likely/core/create.hpp"
#include "likely/core/error.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "likely/runs/pictures.hpp"
#include "likely/runs/rows.hpp"
#include "likely/train/history.hpp"
#include "likely/train/interrupt.hpp"

namespace likely::runs {

std::vector<Setting> fit_settings(const FitDefaults& defaults) {
  return {whole_setting("epochs", defaults.epochs, "passes over the training data"),
          whole_setting("batch", defaults.batch, "rows a step"),
          number_setting("lr", defaults.lr, "learning rate")};
}

optim::Schedule cosine_schedule(const Run& run, std::int64_t steps) {
  return optim::CosineSchedule{.lr = run.settings.number("lr"), .steps = steps};
}

namespace detail {

namespace {

// The keys of a run, always made in this order.
struct Keys {
  Rng data, model;
};
Keys keys_of(const Run& run) {
  Rng rng(run.seed);
  Rng data = rng.split();
  return {data, rng.split()};
}

// A class may be missing in the training part.
std::int64_t outputs_of(const Splits& splits) {
  std::int64_t outputs = 1;
  for (const data::Dataset* rows : {&splits.train, splits.validation ? &*splits.validation : nullptr,
                                    splits.test ? &*splits.test : nullptr}) {
    if (rows == nullptr || rows->size() == 0) continue;
    const Tensor y = rows->targets();
    if (!y.defined()) continue;
    const std::int64_t needed =
        y.dtype() == DType::i64 ? static_cast<std::int64_t>(max(y).item()) + 1 : y.size() / y.dim(0);
    outputs = std::max(outputs, needed);
  }
  return outputs;
}

Sizes sizes_of(const Splits& splits) {
  if (splits.train.size() == 0) throw Error("the training data have no rows");
  const Tensor x = splits.train.range(0, 1).x;
  return {.input = x.shape().sub(1, x.rank()), .outputs = outputs_of(splits)};
}

Learned load(const SupervisedParts& parts, const Run& run, const Sizes& sizes) {
  Learned learned;
  load_within_file(run, [&] { learned = parts.load(run, sizes); });
  return learned;
}

struct Held {
  std::string name;
  const data::Dataset* rows;
};
Held held_out(const Splits& splits) {
  if (splits.test) return {"test", &*splits.test};
  if (splits.validation) return {"validation", &*splits.validation};
  return {"training", &splits.train};
}

std::vector<Measured> figures_of(const Objective& objective, const Tensor& outputs, const Held& held) {
  std::vector<Measured> figures = objective.figures(outputs, held.rows->targets());
  for (Measured& figure : figures) figure.name = held.name + " " + figure.name;
  return figures;
}

// Of a classifier; one logit is that of class 1, beside 0.
std::optional<HeldOutLogits> held_out_logits(const Objective& objective, const Tensor& outputs,
                                             const Held& held) {
  const Tensor targets = held.rows->targets();
  if (!targets.defined()) return std::nullopt;
  const Tensor labels = reshape(targets, {targets.size()}).to(DType::i64);
  if (objective.kind == Objective::Kind::classes)
    return HeldOutLogits{.of = held.name, .logits = outputs, .labels = labels};
  if (objective.kind != Objective::Kind::binary) return std::nullopt;
  const Tensor one = reshape(outputs, {outputs.size()});
  return HeldOutLogits{.of = held.name, .logits = stack({zeros_like(one), one}, 1), .labels = labels};
}

// Those that suit the kind of data and outputs.
void draw_usual(const SupervisedParts& parts, const Sizes& sizes, const Splits& splits,
                const Predictor& predict, PictureFolder& pictures) {
  const Held held = held_out(splits);
  const Objective::Kind kind = parts.objective.kind;
  const bool classes = kind == Objective::Kind::classes || kind == Objective::Kind::binary;
  const std::int64_t width = sizes.input.size();
  if (classes && held.rows->targets().defined()) {
    pictures.attempt("picture \"confusion\"", [&] {
      const Tensor outputs = outputs_for(predict, *held.rows, train::detail::interrupt_arrived);
      const Predictions said = parts.objective.predictions(outputs);
      const std::int64_t count = kind == Objective::Kind::binary ? 2 : outputs.dim(-1);
      draw_confusion(confusion_matrix(said[0].values, held.rows->targets(), count), said[0].words, pictures);
    });
  }
  if (kind != Objective::Kind::classes && width == 1)
    pictures.attempt("picture \"fit\"", [&] { draw_fit(predict, kind, splits.train, pictures); });
  if (classes && width == 2)
    pictures.attempt("picture \"areas\"", [&] { draw_areas(predict, kind, splits.train, pictures); });
  if (!classes && width > 1) {
    pictures.attempt("picture \"predicted\"", [&] {
      const Tensor outputs = outputs_for(predict, *held.rows, train::detail::interrupt_arrived);
      draw_predicted(parts.objective.predictions(outputs)[0].values, held.rows->targets(), pictures);
    });
  }
}

void draw_all(const SupervisedParts& parts, const std::vector<train::EpochReport>& history,
              const Sizes& sizes, const Splits& splits, const Learned& learned, PictureFolder& pictures) {
  pictures.attempt("curves", [&] { draw_curves(history, pictures); });
  pictures.attempt("pictures", [&] {
    draw_usual(parts, sizes, splits, learned.predict, pictures);
    learned.pictures(splits, pictures);
  });
}

Report train_whole(const SupervisedParts& parts, const Run& run) {
  const Keys keys = keys_of(run);
  Splits splits = parts.data(run, keys.data);
  const Sizes sizes = sizes_of(splits);
  Fitted fitted = parts.fit(run, splits, sizes, keys.model);
  Report report{.epochs = fitted.epochs,
                .seconds = fitted.history.empty() ? 0.0 : fitted.history.back().seconds,
                .stopped = fitted.stopped};
  if (fitted.stopped == train::Stopped::interrupted) return report;
  const Held held = held_out(splits);
  report.figures = figures_of(parts.objective, outputs_for(fitted.learned.predict, *held.rows), held);
  report.text = fitted.learned.remarks(splits);
  report.draw = [parts, sizes, fitted = std::move(fitted),
                 splits = std::move(splits)](PictureFolder& pictures) {
    draw_all(parts, fitted.history, sizes, splits, fitted.learned, pictures);
  };
  return report;
}

}  // namespace

std::int64_t steps_of(const Run& run, const data::Dataset& train) {
  const std::int64_t batch = run.settings.whole("batch");
  return run.settings.whole("epochs") * ((train.size() + batch - 1) / batch);
}

Recipe complete(Recipe about, const SupervisedParts& parts) {
  about.train = [parts](const Run& run) { return train_whole(parts, run); };
  about.evaluate = [parts](const Run& run) {
    const Learned learned = load(parts, run, kept_sizes(run));
    const Splits splits = parts.data(run, keys_of(run).data);
    const Held held = held_out(splits);
    const Tensor outputs = outputs_for(learned.predict, *held.rows, train::detail::interrupt_arrived);
    return Report{.figures = figures_of(parts.objective, outputs, held),
                  .text = learned.remarks(splits),
                  .held_out = held_out_logits(parts.objective, outputs, held)};
  };
  about.predict = [parts](const Run& run, const std::filesystem::path& file) {
    const Sizes sizes = kept_sizes(run);
    RowsOfFile rows = read_rows(file, sizes.input);
    return Predicted{
        parts.objective.predictions(outputs_for(load(parts, run, sizes).predict, data::Dataset(rows.x))),
        std::move(rows.notes)};
  };
  about.plot = [parts](const Run& run) {
    const Sizes sizes = kept_sizes(run);
    const Learned learned = load(parts, run, sizes);
    PictureFolder pictures(run.out);
    draw_all(parts, train::read_history(run.out), sizes, parts.data(run, keys_of(run).data), learned,
             pictures);
    return pictures.all_pictures();
  };
  return about;
}

}  // namespace detail

}  // namespace likely::runs
