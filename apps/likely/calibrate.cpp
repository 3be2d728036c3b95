// `likely calibrate`: probabilities that can be believed.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "apps/likely/commands.hpp"
#include "apps/likely/flags.hpp"
#include "apps/likely/report.hpp"
#include "apps/likely/results.hpp"
#include "apps/likely/whole_option.hpp"
#include "apps/likely/work_progress.hpp"
#include "likely/core/error.hpp"
#include "likely/core/printable.hpp"
#include "likely/io/path_kind.hpp"
#include "likely/models/recipes.hpp"
#include "likely/models/softmax/calibration_study.hpp"
#include "likely/models/softmax/score_file.hpp"

namespace likely::command {

namespace {

struct CalibrateArguments {
  std::string path, data, label, scores;
  std::vector<std::string> classes;
  confidence::StudyOptions study;
  bool equal_mass = false;
  OutArguments out;
};

confidence::ScoreKind kind_of(const std::string& scores) {
  if (scores.empty()) return confidence::ScoreKind::guess;
  return scores == "logits" ? confidence::ScoreKind::logits : confidence::ScoreKind::probabilities;
}

// What a run says about the rows that it has not learned from.
runs::HeldOutLogits of_run(const CalibrateArguments& arguments, const train::EventSink& events) {
  if (!arguments.label.empty()) throw Error("--label is about a file; a run knows its labels");
  if (!arguments.classes.empty()) throw Error("--classes is about a file; a run knows its classes");
  if (!arguments.scores.empty()) throw Error("--scores is about a file; a run has logits");
  const runs::RunReport report = runs::evaluate_run(
      models::recipes(), arguments.path,
      arguments.data.empty() ? std::nullopt : std::optional<std::filesystem::path>(arguments.data), events);
  if (report.seeds.size() != 1)
    throw Error(fmt::format("{0} holds several runs; name one of them, such as {0}/seed-{1}", arguments.path,
                            report.seeds.front().seed));
  const runs::Report& one = report.seeds.front().report;
  if (!one.held_out) throw Error(fmt::format("{}: {} is no classifier", arguments.path, report.recipe->name));
  if (one.held_out->of == "training")
    throw Error(
        fmt::format("{}: the classifier learned from all its rows: give others with `data`", arguments.path));
  runs::HeldOutLogits rows = *one.held_out;
  rows.notes = one.notes;
  return rows;
}

void run_calibrate(CalibrateArguments arguments, const ShowOptions& shown) {
  apply(shown);
  WorkProgress progress(shown.quiet);
  Results results(arguments.out, "calibration.json", {arguments.path});
  if (!io::path_exists(arguments.path)) throw Error(arguments.path + ": there is no such file or folder");
  const bool is_run = io::is_folder(arguments.path);
  if (!is_run && !arguments.data.empty()) throw Error("--data is about a run; a file holds its rows");
  const confidence::Scores scores =
      is_run ? confidence::Scores{.rows = of_run(arguments, progress.events())}
             : confidence::read_scores(arguments.path, {.label = arguments.label,
                                                        .classes = arguments.classes,
                                                        .scores = kind_of(arguments.scores),
                                                        .cancelled = progress.cancelled()});
  confidence::StudyOptions& options = arguments.study;
  options.taken = scores.taken;
  options.measure.kind = arguments.equal_mass ? confidence::Bins::equal_mass : confidence::Bins::equal_width;
  options.measure.cancelled = progress.cancelled();
  const confidence::CalibrationStudy study = confidence::study_calibration(scores.rows, options);
  const std::string json = confidence::json_of(study) + "\n";
  const std::string summary = shown.json ? json : printable(confidence::text_of(study));
  results.write(json, summary, progress, [&](const std::filesystem::path& folder) {
    return confidence::write_study(study, folder, {.figures = !arguments.out.no_figures});
  });
  progress.finish();
  fmt::print("{}", summary);
  if (shown.json) return;
  results.say();
  warn(study.rows.notes);
  warn(study.warnings);
}

}  // namespace

void add_calibrate(CLI::App& app) {
  CLI::App* command = app.add_subcommand("calibrate", "Make a classifier's probabilities believable");
  command->footer(
      "On the run folder of a classifier (its test or validation rows), or on a file with a column of "
      "labels\n"
      "and a column of logits or probabilities for each class: CSV, or npz with labels and logits.\n"
      "Every row is judged by scalers that were fitted to other rows. With --out, those fitted to all rows "
      "are kept.");
  auto arguments = std::make_shared<CalibrateArguments>();
  command->add_option("path", arguments->path, "Run folder, or file")->type_name("PATH")->required();
  command->add_option("--data", arguments->data, "Of a run: other data of the same kind")->type_name("PATH");
  command->add_option("--label", arguments->label, "Of a file: the column of the true class")
      ->type_name("NAME");
  command->add_option("--classes", arguments->classes, "Of a file: the columns of the classes")
      ->type_name("NAMES")
      ->delimiter(',');
  command
      ->add_option("--scores", arguments->scores,
                   "Of a file: logits or probabilities; else guessed, and said")
      ->type_name("KIND")
      ->check(CLI::IsMember({"logits", "probabilities"}));
  command->add_option("--scaler", arguments->study.scalers, "temperature, vector, matrix")
      ->type_name("NAMES")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--folds", arguments->study.folds, "To fit on all but one, and judge on that")
      ->transform(whole(std::int64_t{2}, std::int64_t{1'000'000}))
      ->capture_default_str();
  command->add_option("--bins", arguments->study.measure.bins, "Of the errors of calibration")
      ->transform(whole(1, 100'000))
      ->capture_default_str();
  command->add_flag("--equal-mass", arguments->equal_mass, "Bins with equally many rows, not of equal width");
  command
      ->add_option("--resamples", arguments->study.measure.resamples,
                   "Of the bootstrap behind the standard errors; 0: none")
      ->transform(whole(0, 1'000'000))
      ->capture_default_str();
  command->add_option("--seed", arguments->study.seed, "Same seed, same folds")
      ->type_name("N")
      ->transform(seed())
      ->capture_default_str();
  add_out(*command, arguments->out, false);
  const std::shared_ptr<ShowOptions> shown = add_show_options(*command);
  command->callback([arguments, shown] { run_calibrate(*arguments, *shown); });
}

}  // namespace likely::command
