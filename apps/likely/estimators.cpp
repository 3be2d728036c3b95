// `likely estimators`: estimators of the gradient of an expectation, side by side.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "apps/likely/commands.hpp"
#include "apps/likely/report.hpp"
#include "apps/likely/results.hpp"
#include "apps/likely/whole_option.hpp"
#include "apps/likely/work_progress.hpp"
#include "likely/models/softmax/estimators.hpp"

namespace likely::command {

namespace {

struct EstimatorsArguments {
  estimators::EstimatorOptions options;
  OutArguments out;
};

void run_estimators(const EstimatorsArguments& arguments, const ShowOptions& shown) {
  apply(shown);
  WorkProgress progress(shown.quiet);
  Results results(arguments.out, "estimators.json");
  estimators::EstimatorOptions options = arguments.options;
  options.events = progress.events();
  options.cancelled = progress.cancelled();
  const estimators::EstimatorStudy study = estimators::compare_estimators(options);
  const std::string json = estimators::estimators_json(study) + "\n";
  const std::string summary = shown.json ? json : estimators::estimators_text(study);
  results.write(json, summary, progress, [&](const std::filesystem::path& folder) {
    return estimators::write_estimators(study, folder, !arguments.out.no_figures);
  });
  progress.finish();
  fmt::print("{}", summary);
  if (!shown.json) results.say();
}

}  // namespace

void add_estimators(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("estimators", "Compare estimators of the gradient of an expectation");
  command->footer(
      "Two gradients that are known: of E z^2 with z ~ N(2 theta + 3, 1), and of an expectation over ten "
      "classes.\n"
      "Each is estimated many times: all unbiased estimators have the same mean, and how much they vary is "
      "what\n"
      "tells them apart. `likely estimators --out estimators` keeps tables and figures.");
  auto arguments = std::make_shared<EstimatorsArguments>();
  add_out(*command, arguments->out, false);
  const std::shared_ptr<ShowOptions> shown = add_show_options(*command);
  estimators::EstimatorOptions& options = arguments->options;
  command->add_option("--theta", options.theta, "Where the gradient is estimated, -1000 to 1000")
      ->type_name("X")
      ->capture_default_str();
  command->add_option("--samples", options.samples, "Of one estimate of E z^2")
      ->type_name("N")
      ->transform(whole(std::int64_t{2}, std::int64_t{1} << 20))
      ->capture_default_str();
  command->add_option("--repetitions", options.repetitions, "Estimates of each kind")
      ->type_name("N")
      ->transform(whole(std::int64_t{2}, std::int64_t{10'000'000}))
      ->capture_default_str();
  command->add_option("--seed", options.seed, "Same seed, same result")
      ->type_name("N")
      ->transform(seed())
      ->capture_default_str();
  command->callback([arguments, shown] { run_estimators(*arguments, *shown); });
}

}  // namespace likely::command
