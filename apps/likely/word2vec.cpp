// `likely word2vec`: word vectors from a text.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include "apps/likely/commands.hpp"
#include "apps/likely/reader_of_pipe.hpp"
#include "apps/likely/report.hpp"
#include "apps/likely/whole_option.hpp"
#include "apps/likely/words_options.hpp"
#include "apps/likely/work_progress.hpp"
#include "likely/core/error.hpp"
#include "likely/core/finite_number.hpp"
#include "likely/core/printable.hpp"
#include "likely/core/threads.hpp"
#include "likely/io/atomic_file.hpp"
#include "likely/io/folder_claim.hpp"
#include "likely/io/json.hpp"
#include "likely/models/words/vector_files.hpp"
#include "likely/models/words/word2vec.hpp"

namespace likely::command {

namespace {

struct Word2VecArguments {
  std::string text, out;
  words::Word2VecOptions learn;
  words::VectorFormat format = words::VectorFormat::by_ending;
  bool force = false;
};

// What is there already as something else (a pipe, a device) is written to as it is.
bool is_file(const std::filesystem::path& path) {
  std::error_code unknown;
  const std::filesystem::file_status status = std::filesystem::status(path, unknown);
  return !std::filesystem::exists(status) || std::filesystem::is_regular_file(status) ||
         std::filesystem::is_directory(status);
}

// Before hours of work: a file that must not be replaced, or a name that says no format.
void check_out(const Word2VecArguments& arguments) {
  words::format_of(arguments.out, arguments.format);
  if (arguments.out.ends_with(".gz"))
    throw Error(fmt::format("--out {}: vectors are written plainly; leave .gz out", arguments.out));
  std::error_code unknown;
  if (std::filesystem::equivalent(arguments.out, arguments.text, unknown))
    throw Error(
        fmt::format("--out {}: this is the text that is to be read; choose another --out", arguments.out));
  if (!arguments.force && std::filesystem::exists(arguments.out, unknown))
    throw Error(
        fmt::format("{} is there already; replace it (--force) or choose another --out", arguments.out));
  // Whoever reads a pipe would see its end if it were opened and closed.
  if (is_file(arguments.out)) const io::AtomicFile free(arguments.out, {.replace = arguments.force});
}

void check_room(const Word2VecArguments& arguments, std::int64_t words) {
  if (!is_file(arguments.out)) return;
  const bool binary = words::format_of(arguments.out, arguments.format) == words::VectorFormat::binary;
  const std::filesystem::path folder =
      std::filesystem::weakly_canonical(std::filesystem::absolute(arguments.out)).parent_path();
  io::detail::check_room(folder, folder, words * arguments.learn.dimension * (binary ? 4 : 11),
                         "the vectors need about");
}

void run_word2vec(Word2VecArguments arguments, const ShowOptions& shown) {
  WorkProgress progress(shown.quiet);
  check_out(arguments);
  arguments.learn.cancelled = progress.cancelled();
  arguments.learn.events = progress.events();
  arguments.learn.counted = [&arguments](std::int64_t words) { check_room(arguments, words); };
  if (arguments.learn.threads > threads()) set_threads(arguments.learn.threads);
  const words::Learned learned = words::word2vec(arguments.text, arguments.learn);
  const ReaderOfPipe reader(arguments.out, arguments.learn.cancelled);
  words::save_vectors(arguments.out, learned.vectors, arguments.format, arguments.force,
                      arguments.learn.cancelled);
  progress.finish();
  if (shown.quiet && !shown.json) return;
  if (shown.json) {
    io::Json json;
    json["out"] = arguments.out;
    json["words"] = learned.vectors.size();
    json["dimension"] = learned.vectors.dimension();
    json["words_read"] = learned.read;
    json["loss"] = learned.loss;
    json["words_per_second"] = learned.words_per_second;
    fmt::print("{}\n", io::json_text(json));
    return;
  }
  fmt::print(
      "{} words of {} in the text have a vector of {} numbers\nloss {:.4f}, {:.0f} words/s\nvectors: {}\n",
      learned.vectors.size(), learned.read, learned.vectors.dimension(), learned.loss,
      learned.words_per_second, printable_line(arguments.out));
}

CLI::Validator number_that(bool (*fits)(double), const char* which) {
  return CLI::Validator(
      [fits, which](std::string& text) -> std::string {
        const std::optional<double> value = finite_number(text);
        return value && fits(*value) ? std::string()
                                     : fmt::format("must be a number {}, got \"{}\"", which, text);
      },
      "");
}

}  // namespace

void add_word2vec(CLI::App& app) {
  CLI::App* command = app.add_subcommand("word2vec", "Learn word vectors from a text");
  command->footer(
      "  likely word2vec corpus.txt --out vectors.bin\n"
      "  likely words nearest vectors.bin king\n\n"
      "The text may have any size, and be packed with gzip. Words stand between blanks; a context ends with "
      "a line.\n"
      "With one thread the same seed gives the same vectors, with several it does not.");
  auto arguments = std::make_shared<Word2VecArguments>();
  words::Word2VecOptions& learn = arguments->learn;
  command->add_option("text", arguments->text, "Text, plain or packed with gzip")
      ->type_name("FILE")
      ->required();
  command->add_option("--out", arguments->out, "File of vectors, as word2vec and gensim read it")
      ->type_name("FILE")
      ->required();
  add_format(*command, arguments->format);
  command->add_flag("--force", arguments->force, "Replace this file where it is there");
  const auto add_whole = [&](const char* name, std::int64_t& value, std::int64_t high, const char* help) {
    command->add_option(name, value, help)
        ->type_name("N")
        ->transform(whole(std::int64_t{1}, high))
        ->capture_default_str()
        ->group("Learning");
  };
  add_whole("--dimension", learn.dimension, 65536, "Numbers a word");
  add_whole("--window", learn.window, 1000, "Places to each side of a word, at most");
  add_whole("--negative", learn.negative, 256, "Noise words for each word of the text");
  add_whole("--epochs", learn.epochs, 1'000'000, "Times through the text");
  add_whole("--min-count", learn.min_count, 1'000'000'000, "Words that come less often are passed over");
  command
      ->add_option("--sample", learn.sample,
                   "Frequent words are passed over more often the smaller this is; 0: never")
      ->type_name("X")
      ->check(number_that([](double value) { return value >= 0.0; }, "from 0 on"))
      ->capture_default_str()
      ->group("Learning");
  command
      ->add_option("--rate", learn.rate, "Learning rate at the beginning; .025 if left out, .05 with --cbow")
      ->type_name("X")
      ->check(number_that([](double value) { return value > 0.0; }, "above 0"))
      ->group("Learning");
  command->add_flag("--cbow", learn.cbow, "Tell a word from the mean of those around it, not these from it")
      ->group("Learning");
  command->add_flag("--nce", learn.nce, "Noise-contrastive estimation instead of negative sampling")
      ->group("Learning");
  command
      ->add_option("--threads", learn.threads,
                   "Threads; with more than one the vectors differ from run to run")
      ->type_name("N")
      ->transform(whole(1, 1024))
      ->capture_default_str();
  command->add_option("--seed", learn.seed, "With one thread: same seed, same vectors")
      ->type_name("N")
      ->transform(seed())
      ->capture_default_str();
  const std::shared_ptr<ShowOptions> shown = add_show_options(*command, true);
  command->callback([arguments, shown] { run_word2vec(*arguments, *shown); });
}

}  // namespace likely::command
