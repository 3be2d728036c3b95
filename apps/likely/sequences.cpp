// `likely sequences`: sequences of a Markov chain, drawn or searched for.
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
#include "likely/models/softmax/search_experiment.hpp"

namespace likely::command {

namespace {

struct SequencesArguments {
  std::string model, method = "stochastic-beam";
  sequences::SequenceRequest request;
  sequences::CompareRequest compare;
  bool compared = false;
  OutArguments out;
};

void run_sequences(SequencesArguments arguments, const ShowOptions& shown) {
  apply(shown);
  WorkProgress progress(true);
  if (!arguments.compared &&
      (!arguments.out.folder.empty() || arguments.out.force || arguments.out.no_figures))
    throw Error("--out, --force and --no-figures are of --compare: else nothing is written");
  Results results(arguments.out, "sequences.json", {arguments.model});
  sequences::SequenceRequest& request = arguments.request;
  request.method = sequences::search_method(arguments.method);
  request.cancelled = progress.cancelled();
  if (request.length_penalty != 0.0 && request.method != sequences::SearchMethod::beam)
    throw Error("--length-penalty is of --method beam alone");
  const sequences::NamedChain chain = sequences::read_chain(arguments.model, progress.cancelled());
  if (!shown.quiet) {
    for (const std::string& note : chain.notes) warn({arguments.model + ": " + note});
  }
  if (!arguments.compared) {
    const sequences::SequenceStudy study = sequences::sequence_study(chain, request);
    fmt::print("{}", shown.json ? sequences::sequences_json(study) + "\n" : sequences::sequences_text(study));
    return;
  }
  arguments.compare.search = request;
  const sequences::CompareStudy study = sequences::compare_searches(chain, arguments.compare);
  const std::string json = sequences::compare_json(study) + "\n";
  const std::string summary = shown.json ? json : printable(sequences::compare_text(study));
  results.write(json, summary, progress, [&](const std::filesystem::path& folder) {
    return sequences::write_comparison(study, folder, !arguments.out.no_figures);
  });
  fmt::print("{}", summary);
  if (!shown.json) results.say();
}

}  // namespace

void add_sequences(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("sequences", "Draw or search sequences of a Markov chain, and estimate means");
  command->footer(
      "The table of the chain has a column for each state and a row for what follows it; the row \"start\" "
      "says how\n"
      "sequences begin, and the state without a row is where they end:\n\n"
      "  state,sun,rain,end\n  start,0.5,0.5,0\n  sun,0.7,0.2,0.1\n  rain,0.4,0.4,0.2\n\n"
      "  likely sequences --model chain.csv --k 5\n"
      "  likely sequences --model chain.csv --compare --out sequences");
  auto arguments = std::make_shared<SequencesArguments>();
  sequences::SequenceRequest& request = arguments->request;
  command->add_option("--model", arguments->model, "Table of the chain")->type_name("FILE")->required();
  command->add_option("--method", arguments->method, "ancestral, greedy, beam or stochastic-beam")
      ->type_name("NAME")
      ->capture_default_str();
  command->add_option("--k", request.count, "How many sequences; greedy has one")
      ->type_name("N")
      ->transform(whole(std::int64_t{1}, std::int64_t{100'000}))
      ->capture_default_str();
  command->add_option("--max-length", request.max_length, "Longer sequences are cut")
      ->type_name("N")
      ->transform(whole(std::int64_t{1}, std::int64_t{1'000'000}))
      ->capture_default_str();
  command->add_option("--temperature", request.filter.temperature, "Below 1 the probable becomes more so")
      ->type_name("T")
      ->capture_default_str();
  command->add_option("--top-k", request.filter.top_k, "Only so many best states at each step; 0: all")
      ->type_name("N")
      ->transform(whole(std::int64_t{0}, std::int64_t{1'000'000'000}))
      ->capture_default_str();
  command
      ->add_option("--top-p", request.filter.top_p,
                   "Only the best states that have this probability together")
      ->type_name("P")
      ->capture_default_str();
  command->add_option("--length-penalty", request.length_penalty, "beam: ranked by log p / length^PENALTY")
      ->type_name("PENALTY")
      ->capture_default_str();
  command->add_option("--count", request.counted, "A state: estimate how often it comes")->type_name("STATE");
  command->add_option("--seed", request.seed, "Same seed, same sequences")
      ->type_name("N")
      ->transform(seed())
      ->capture_default_str();
  command
      ->add_flag("--compare", arguments->compared,
                 "The errors of the estimators, at several numbers of sequences and temperatures")
      ->group("Comparison");
  command->add_option("--runs", arguments->compare.runs, "How often each estimate is made")
      ->type_name("N")
      ->transform(whole(std::int64_t{2}, std::int64_t{1'000'000}))
      ->capture_default_str()
      ->group("Comparison");
  add_out(*command, arguments->out, false);
  const std::shared_ptr<ShowOptions> shown = add_show_options(*command);
  command->callback([arguments, shown] { run_sequences(*arguments, *shown); });
}

}  // namespace likely::command
