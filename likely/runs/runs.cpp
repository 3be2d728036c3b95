#include "likely/runs/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "likely/core/cancel.hpp"
#include "likely/core/error.hpp"
#include "likely/core/printable.hpp"
#include "likely/io/folder_lock.hpp"
#include "likely/io/folder_path.hpp"
#include "likely/io/live_folder.hpp"
#include "likely/io/made_record.hpp"
#include "likely/io/path_kind.hpp"
#include "likely/runs/inputs.hpp"
#include "likely/runs/picture_folder.hpp"
#include "likely/runs/run_files.hpp"
#include "likely/runs/run_locks.hpp"
#include "likely/train/event_file.hpp"
#include "likely/train/interrupt.hpp"

namespace likely::runs {

namespace {

namespace fs = std::filesystem;

constexpr const char* kEventsFile = "events.jsonl";

void check_run(const Recipe& recipe, const Run& run, const TrainOptions& options) {
  if (!run.data.empty() && recipe.data_help.empty())
    throw Error(fmt::format("{} makes its own data; `data` has no meaning for it", recipe.name));
  if (run.data.empty() && recipe.needs_data)
    throw Error(fmt::format("{} needs `data`: {}", recipe.name, recipe.data_help));
  if (!run.data.empty() && !io::path_exists(run.data))
    throw Error(fmt::format("`data = {}`: there is no such file or folder", run.data.string()));
  std::vector<std::uint64_t> sorted = options.seeds;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) throw Error(fmt::format("seed {} is there twice", *twice));
}

[[noreturn]] void refuse_absent(const SavedRun& saved, const char* verb) {
  throw Error(fmt::format("{} is an experiment: there is nothing to {}", saved.recipe->name, verb));
}

Run of_seed(const Run& run, std::uint64_t seed) {
  Run one = run;
  one.seed = seed;
  one.out = run.out / fmt::format("seed-{}", seed);
  return one;
}

train::event::Begin beginning_of(const Recipe& recipe, const Run& run) {
  train::event::Begin begin{
      .recipe = recipe.name, .seed = run.seed, .data = run.data, .out = run.out, .resumed = run.resume};
  for (const Setting& setting : run.settings.all()) begin.settings[setting.name] = setting.value;
  return begin;
}

void tell_figures(const Report& report, const train::EventSink& events) {
  for (const Measured& figure : report.figures) {
    std::optional<bool> higher;
    if (figure.better != Better::neither) higher = figure.better == Better::higher;
    events(train::event::Metric{figure.name, figure.value, higher});
  }
}

void tell_pictures(const Report& report, const train::EventSink& events) {
  for (const fs::path& picture : report.pictures) events(train::event::Picture{picture});
  for (const std::string& warning : report.warnings) events(train::event::Warning{warning});
}

// Those in words before pictures are drawn, which may take long, and those with a picture once it is there.
void tell_samples(const Report& report, bool drawn, const train::EventSink& events) {
  for (const train::event::Sample& sample : report.samples) {
    if (sample.picture.empty() != drawn) events(sample);
  }
}

// Adds the pictures of what was trained to its report.
void draw(const Run& run, Report& report) {
  if (!report.draw) return;
  PictureFolder pictures(run.out);
  pictures.attempt("pictures", [&] { report.draw(pictures); });
  const Drawn& drawn = pictures.drawn();
  report.pictures.insert(report.pictures.end(), drawn.pictures.begin(), drawn.pictures.end());
  report.warnings.insert(report.warnings.end(), drawn.warnings.begin(), drawn.warnings.end());
  report.draw = nullptr;  // and what it held on to
}

// Trains and keeps the report: before pictures are drawn, which may take long, be given up or be killed, and
// again with them.
SeedReport train_one(const Recipe& recipe, const Run& run) {
  const train::detail::CatchInterrupt interrupt(true);
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  train::EventFile file(run.out / kEventsFile);
  Run told = run;
  told.events = [&](const train::Event& event) {
    file(event);
    if (run.events) run.events(event);
  };
  told.events(beginning_of(recipe, run));
  SeedReport one{run.seed, run.out};
  try {
    one.report = recipe.train(told);
  } catch (const std::exception& error) {
    told.events(train::event::End{.seconds = seconds(), .error = error.what()});
    throw;
  }
  const bool timed = one.report.seconds != 0.0;
  if (!timed) one.report.seconds = seconds();
  tell_figures(one.report, told.events);
  tell_samples(one.report, false, told.events);
  const bool whole = one.report.stopped != train::Stopped::interrupted;
  const auto keep = [&] { write_report(run.out, json_of(RunReport{&recipe, run, {one}})); };
  if (whole && one.report.draw) {
    keep();
    draw(run, one.report);
    if (!timed) one.report.seconds = seconds();
  }
  tell_pictures(one.report, told.events);
  tell_samples(one.report, true, told.events);
  if (!file.failure().empty())
    one.report.warnings.push_back(fmt::format("{} is not whole: {}", kEventsFile, file.failure()));
  if (whole) keep();
  one.interrupted_late = interrupt.arrived() && whole;
  told.events(train::event::End{.stopped = one.report.stopped, .seconds = one.report.seconds});
  return one;
}

// All runs of a folder, by what `each` does with one.
template <class Each>
RunReport for_each_run(const SavedRun& saved, Each&& each) {
  RunReport all{saved.recipe, saved.run, {}, std::max<std::size_t>(saved.seeds.size(), 1)};
  if (saved.seeds.empty()) {
    all.seeds.push_back(each(saved.run));
    return all;
  }
  for (const std::uint64_t seed : saved.seeds) {
    all.seeds.push_back(each(of_seed(saved.run, seed)));
    if (all.stopped() == train::Stopped::interrupted || all.interrupted_late()) return all;
  }
  return all;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// The seeds of a run that goes on are locked already; those of a new one are when it is their turn.
RunReport train_all(const SavedRun& saved, bool are_locked) {
  RunReport all = for_each_run(saved, [&](const Run& run) {
    if (saved.seeds.empty()) return train_one(*saved.recipe, run);
    std::optional<io::FolderLock> lock;
    if (!are_locked) lock.emplace(run.out);
    write_run(*saved.recipe, run, {});
    return train_one(*saved.recipe, run);
  });
  if (!saved.seeds.empty() && all.seeds.size() == saved.seeds.size() &&
      all.stopped() != train::Stopped::interrupted)
    write_report(saved.run.out, json_of(all));
  return all;
}

// Does the work and, whether or not that succeeds, tells what was done to the folder meanwhile.
template <class Work, class Tell>
RunReport telling(const Work& work, const Tell& tell) {
  try {
    RunReport report = work();
    tell();
    return report;
  } catch (...) {
    try {
      tell();
    } catch (...) {  // what went wrong first is what is told
    }
    throw;
  }
}

void lock_seeds(RunLocks& locks, const SavedRun& saved, FolderNews& news) {
  for (const std::uint64_t seed : saved.seeds) {
    locks.add(of_seed(saved.run, seed).out);
    news.tell(locks.told());
  }
}

SavedRun to_be_resumed(const Catalogue& catalogue, const fs::path& folder,
                       const std::vector<std::string>& changes) {
  SavedRun saved = read_run(catalogue, folder);
  for (const std::string& change : changes) {
    if (!change.starts_with("epochs="))
      throw Error(fmt::format("only epochs can be changed when a training goes on, got \"{}\"", change));
    saved.run.settings.set(change);
  }
  check_run(*saved.recipe, saved.run, {});
  return saved;
}

}  // namespace

RunReport train_recipe(const Recipe& recipe, Run run, const TrainOptions& options) {
  check_run(recipe, run, options);
  make_absolute(run);
  std::vector<std::uint64_t> seeds = options.seeds;
  if (seeds.size() == 1) {
    run.seed = seeds[0];
    seeds.clear();
  }
  const std::string out = io::detail::without_last_slashes(run.out).string();
  io::LiveFolder folder(
      run.out, {.mark = "recipe.json",
                .replace = options.force,
                .setting = "out",
                .earlier = fmt::format("{} already holds a run; go on with it (likely resume {}), replace "
                                       "it (`force`) or choose another `out`",
                                       out, shell_word(out)),
                .inputs = inputs_of(run)});
  FolderNews news(run.events);
  RunReport report = telling(
      [&] {
        news.tell(folder.told(), folder.kept());
        write_run(recipe, run, seeds);
        if (options.on_start) options.on_start(run);
        RunReport trained = train_all({&recipe, run, seeds}, false);
        // What was interrupted can go on, but is not worth a run that was finished before anything was saved.
        if (trained.stopped() != train::Stopped::interrupted || folder.outdoes_earlier()) folder.keep();
        return trained;
      },
      [&] { news.tell(folder.told(), folder.kept()); });
  report.of_folder = news.all();
  return report;
}

RunReport resume_run(const Catalogue& catalogue, const fs::path& folder,
                     const std::vector<std::string>& changes, const train::EventSink& events) {
  // The run that is there goes on, also one that was to replace another and was killed early: but only if it
  // can, which is known before the other one is set aside.
  std::error_code unknown;
  if (fs::exists(folder / "recipe.json", unknown)) to_be_resumed(catalogue, folder, changes);
  FolderNews news(events);
  RunLocks locks(folder, RunLocks::To::go_on);
  news.tell(locks.told());
  SavedRun saved = to_be_resumed(catalogue, folder, changes);
  lock_seeds(locks, saved, news);
  locks.tidy();
  saved.run.resume = true;
  saved.run.events = events;
  const io::detail::MadeRecord made(locks.path(), folder, io::detail::MadeRecord::Known::all);
  RunReport report = telling(
      [&] {
        if (!changes.empty()) write_run(*saved.recipe, saved.run, saved.seeds);
        return train_all(saved, true);
      },
      [&] { news.tell(locks.told(), made.kept()); });
  report.of_folder = news.all();
  return report;
}

RunReport evaluate_run(const Catalogue& catalogue, const fs::path& folder,
                       const std::optional<fs::path>& data, const train::EventSink& events) {
  SavedRun saved = read_run(catalogue, folder);
  saved.run.events = events;
  if (!saved.recipe->evaluate) refuse_absent(saved, "evaluate; its figures are in report.json");
  if (data) {
    saved.run.data = *data;
    make_absolute(saved.run);
    check_run(*saved.recipe, saved.run, {});
  }
  check_records(folder);
  const train::detail::CatchInterrupt interrupt(true);
  return for_each_run(saved, [&](const Run& run) {
    if (!saved.seeds.empty()) check_records(run.out);
    SeedReport one{run.seed, run.out, saved.recipe->evaluate(run)};
    give_up_if([&] { return interrupt.arrived(); });
    return one;
  });
}

Predicted predict_run(const Catalogue& catalogue, const fs::path& folder, const fs::path& rows) {
  const SavedRun saved = read_run(catalogue, folder);
  if (!saved.recipe->predict) refuse_absent(saved, "predict with");
  if (!saved.seeds.empty())
    throw Error(fmt::format("{0} holds several runs; name one of them, such as {0}/seed-{1}", folder.string(),
                            saved.seeds[0]));
  return saved.recipe->predict(saved.run, rows);
}

RunReport plot_run(const Catalogue& catalogue, const fs::path& folder, const train::EventSink& events) {
  FolderNews news(events);
  RunLocks locks(folder, RunLocks::To::draw);
  SavedRun saved = read_run(catalogue, folder);
  lock_seeds(locks, saved, news);
  saved.run.events = events;
  if (!saved.recipe->plot) refuse_absent(saved, "draw again; its pictures are in figures/");
  locks.tidy();
  check_records(folder);
  const io::detail::MadeRecord made(locks.path(), folder, io::detail::MadeRecord::Known::all);
  const train::detail::CatchInterrupt interrupt(true);
  const auto draw = [&](const Run& run) {
    if (!saved.seeds.empty()) check_records(run.out);
    SeedReport one{run.seed, run.out};
    try {
      one.report.pictures = saved.recipe->plot(run);
    } catch (const Cancelled&) {
      one.report.stopped = train::Stopped::interrupted;
    }
    if (interrupt.arrived()) one.report.stopped = train::Stopped::interrupted;
    return one;
  };
  RunReport report =
      telling([&] { return for_each_run(saved, draw); }, [&] { news.tell(locks.told(), made.kept()); });
  report.of_folder = news.all();
  return report;
}

train::Stopped RunReport::stopped() const {
  return seeds.empty() ? train::Stopped::finished : seeds.back().report.stopped;
}

bool RunReport::interrupted_late() const { return !seeds.empty() && seeds.back().interrupted_late; }

std::vector<double> RunReport::values(std::string_view figure) const {
  std::vector<double> found;
  for (const SeedReport& seed : seeds) {
    for (const Measured& measured : seed.report.figures) {
      if (measured.name == figure) found.push_back(measured.value);
    }
  }
  return found;
}

std::vector<Measured> RunReport::figures() const {
  if (seeds.empty()) return {};
  std::vector<Measured> means = seeds[0].report.figures;
  for (Measured& mean : means) mean.value = mean_of(values(mean.name));
  return means;
}

std::vector<Measured> RunReport::calibration() const {
  if (seeds.empty()) return {};
  std::vector<Measured> means = seeds[0].report.calibration;
  for (Measured& mean : means) {
    std::vector<double> found;
    for (const SeedReport& seed : seeds) {
      for (const Measured& measured : seed.report.calibration) {
        if (measured.name == mean.name) found.push_back(measured.value);
      }
    }
    mean.value = mean_of(found);
  }
  return means;
}

double RunReport::spread(std::string_view figure) const {
  const std::vector<double> all = values(figure);
  if (all.size() < 2) return 0.0;
  const double mean = mean_of(all);
  double squares = 0.0;
  for (const double value : all) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(all.size() - 1));
}

double RunReport::seconds() const {
  double sum = 0.0;
  for (const SeedReport& seed : seeds) sum += seed.report.seconds;
  return sum;
}

std::vector<fs::path> RunReport::pictures() const {
  std::vector<fs::path> all;
  for (const SeedReport& seed : seeds)
    all.insert(all.end(), seed.report.pictures.begin(), seed.report.pictures.end());
  return all;
}

std::vector<std::string> RunReport::notes() const {
  std::vector<std::string> all;
  for (const SeedReport& seed : seeds) {
    for (const std::string& note : seed.report.notes) {
      if (std::find(all.begin(), all.end(), note) == all.end()) all.push_back(note);
    }
  }
  return all;
}

std::vector<std::string> RunReport::warnings() const {
  std::vector<std::string> all = of_folder;
  for (const SeedReport& seed : seeds)
    gather_warnings(all, seeds.size() > 1 ? fmt::format("seed {}: ", seed.seed) : "", seed.report.warnings);
  return all;
}

}  // namespace likely::runs
