// `likely words`: what a file of word vectors knows.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "apps/likely/commands.hpp"
#include "apps/likely/whole_option.hpp"
#include "apps/likely/words_options.hpp"
#include "apps/likely/work_progress.hpp"
#include "likely/core/error.hpp"
#include "likely/core/printable.hpp"
#include "likely/io/json.hpp"
#include "likely/models/words/evaluate.hpp"
#include "likely/models/words/vector_files.hpp"
#include "likely/models/words/word_vectors.hpp"

namespace likely::command {

namespace {

struct WordsArguments {
  std::string vectors;
  std::vector<std::string> asked;
  std::string analogies, similarity;
  words::VectorFormat format = words::VectorFormat::by_ending;
  std::int64_t count = 10, most = 0;
  bool json = false;
};

words::WordVectors load(const WordsArguments& arguments, const CancelTest& cancelled) {
  return words::load_vectors(arguments.vectors, arguments.format, cancelled);
}

void print(const std::vector<words::Neighbour>& found, bool as_json) {
  if (as_json) {
    io::Json json = io::Json::array();
    for (const words::Neighbour& one : found)
      json.push_back({{"word", printable_line(one.word)}, {"cosine", one.cosine}});
    fmt::print("{}\n", io::json_text(json));
    return;
  }
  for (const words::Neighbour& one : found) fmt::print("{:.4f}  {}\n", one.cosine, printable_line(one.word));
}

void run_nearest(const WordsArguments& arguments) {
  const WorkProgress progress(true);
  const words::WordVectors vectors = load(arguments, progress.cancelled());
  print(words::nearest(vectors, arguments.asked[0], arguments.count), arguments.json);
}

void run_analogy(const WordsArguments& arguments) {
  const WorkProgress progress(true);
  const words::WordVectors vectors = load(arguments, progress.cancelled());
  print(words::analogy(vectors, arguments.asked[0], arguments.asked[1], arguments.asked[2], arguments.count),
        arguments.json);
}

void print_line(const words::AnalogyScore& score) {
  // Of answers that are all right, or all wrong, no error can be estimated.
  std::string share = "none asked";
  if (score.asked > 0) share = fmt::format("{:5.1f} %", 100.0 * score.accuracy());
  if (score.right > 0 && score.right < score.asked)
    share += fmt::format(" +- {:.1f}", 100.0 * std::sqrt(score.accuracy() * (1.0 - score.accuracy()) /
                                                         static_cast<double>(score.asked)));
  fmt::print("{:32}  {:15}  {:5} of {:5} asked, of {}\n", printable_line(score.name), share, score.right,
             score.asked, score.all);
}

io::Json json_of(const words::AnalogyScore& score) {
  return {{"name", printable_line(score.name)},
          {"right", score.right},
          {"asked", score.asked},
          {"all", score.all}};
}

void run_eval(const WordsArguments& arguments) {
  if (arguments.analogies.empty() && arguments.similarity.empty())
    throw Error("what is to be measured? --analogies FILE, --similarity FILE or both");
  const WorkProgress progress(true);
  const CancelTest cancelled = progress.cancelled();
  // Files that are wrong are refused before the vectors are read, which takes longer.
  std::vector<words::AnalogySection> sections;
  std::vector<words::JudgedPair> pairs;
  if (!arguments.analogies.empty()) sections = words::read_analogies(arguments.analogies);
  if (!arguments.similarity.empty()) pairs = words::read_similarities(arguments.similarity);
  const words::WordVectors vectors = load(arguments, cancelled);
  io::Json json = io::Json::object();
  if (!sections.empty()) {
    const std::vector<words::AnalogyScore> scores =
        words::score_analogies(vectors, sections, arguments.most, cancelled);
    const words::AnalogyScore total = words::total_of(scores);
    json["analogies"] = {{"total", json_of(total)}, {"sections", io::Json::array()}};
    for (const words::AnalogyScore& score : scores) {
      json["analogies"]["sections"].push_back(json_of(score));
      if (!arguments.json) print_line(score);
    }
    if (!arguments.json) print_line(total);
  }
  if (!pairs.empty()) {
    const words::SimilarityScore score = words::score_similarities(vectors, pairs);
    json["similarity"] = {{"rho", score.rho},
                          {"low", score.low},
                          {"high", score.high},
                          {"asked", score.asked},
                          {"all", score.all}};
    if (!arguments.json && std::isfinite(score.rho)) {
      fmt::print("Spearman's rho {:.3f}, 95 % from {:.3f} to {:.3f}, over {} of {} pairs\n", score.rho,
                 score.low, score.high, score.asked, score.all);
    } else if (!arguments.json) {
      fmt::print("Spearman's rho: {} of {} pairs have vectors, {}\n", score.asked, score.all,
                 score.asked < 2 ? "too few" : "of which all judgements or all cosines are equal");
    }
  }
  if (arguments.json) fmt::print("{}\n", io::json_text(json));
}

CLI::App* add_one(CLI::App& words, const char* name, const char* help,
                  const std::shared_ptr<WordsArguments>& arguments, void (*run)(const WordsArguments&)) {
  CLI::App* command = words.add_subcommand(name, help);
  command->add_option("vectors", arguments->vectors, "File of vectors, as word2vec and gensim write it")
      ->type_name("FILE")
      ->required();
  add_format(*command, arguments->format);
  command->add_flag("--json", arguments->json, "Print JSON");
  command->callback([arguments, run] { run(*arguments); });
  return command;
}

void add_count(CLI::App& command, std::int64_t& count) {
  command.add_option("--count", count, "How many")
      ->type_name("N")
      ->transform(whole(std::int64_t{1}, std::int64_t{1} << 31))
      ->capture_default_str();
}

}  // namespace

void add_words(CLI::App& app) {
  CLI::App* words = app.add_subcommand("words", "Say what a file of word vectors knows");
  words->require_subcommand(1);
  words->footer(
      "  likely words nearest vectors.bin king\n"
      "  likely words analogy vectors.bin man king woman        man is to king as woman is to ...\n"
      "  likely words eval vectors.bin --analogies questions-words.txt --similarity wordsim353.tsv\n\n"
      "A word that is not there as it is written is looked for in small letters.");
  auto arguments = std::make_shared<WordsArguments>();
  CLI::App* near = add_one(*words, "nearest", "The words whose vectors are nearest to that of a word",
                           arguments, run_nearest);
  near->add_option("word", arguments->asked, "The word")->type_name("WORD")->required()->expected(1);
  add_count(*near, arguments->count);
  CLI::App* fourth = add_one(*words, "analogy", "a is to b as c is to ...", arguments, run_analogy);
  fourth->add_option("words", arguments->asked, "a, b and c")->type_name("WORD")->required()->expected(3);
  add_count(*fourth, arguments->count);
  CLI::App* eval = add_one(*words, "eval", "Measure analogies and agreement with judged similarities",
                           arguments, run_eval);
  eval->add_option("--analogies", arguments->analogies, "Lines of four words, below lines \": section\"")
      ->type_name("FILE");
  eval->add_option("--similarity", arguments->similarity, "Lines of two words and a number")
      ->type_name("FILE");
  eval->add_option("--most", arguments->most, "Answers are looked for among so many first words; 0: all")
      ->type_name("N")
      ->transform(whole(std::int64_t{0}, std::int64_t{1} << 31))
      ->capture_default_str();
}

}  // namespace likely::command
