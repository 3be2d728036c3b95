#include "tests/faults/scenarios.hpp"

#include <algorithm>
#include <regex>

#include "likely/io/checksum.hpp"
#include "likely/io/safetensors.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::faults {

namespace {

namespace fs = std::filesystem;
using testing::read_bytes;
using testing::write_bytes;

std::string text_in(const fs::path& file) {
  static const std::regex kTimes(R"re("(seconds":[^,}]*|checksum":"[^"]*")[,}])re");
  static const std::regex kPictures(R"re("pictures":.*)re");
  return std::regex_replace(std::regex_replace(read_bytes(file), kTimes, ""), kPictures, "");
}

bool is_passing(const fs::path& path) {
  const std::string name = path.filename().string();
  // What could not be removed is kept under another name, and named to the user.
  return name == "figures" || name.starts_with('.') || name.find(".kept") != std::string::npos;
}

Command train(const std::string& seed, const std::string& epochs) {
  return {"train", "shallow-regression", "--rows", "20",    "--units", "3",      "--seed",
          seed,    "--epochs",           epochs,   "--out", "run",     "--quiet"};
}
Command csv(const std::string& seed) {
  return {"train", "csv",      "--in", "table.csv", "--epochs", "2",     "--members", "1",      "--folds",
          "0",     "--hidden", "3",    "--seed",    seed,       "--out", "run",       "--quiet"};
}
Command fit(const std::string& prior) {
  return {"fit", "trials.tsv", "--model", "rw",           "--prior",
          prior, "--out",      "fitted",  "--no-figures", "--quiet"};
}
Command compare(const std::string& prior) {
  return {"compare", "trials.tsv", "--model",  "rw,ck",        "--prior",
          prior,     "--out",      "compared", "--no-figures", "--quiet"};
}
Command simulate(const std::string& seed) {
  return {"simulate", "--model", "rw",    "--subjects",    "3",      "--trials", "10",
          "--seed",   seed,      "--out", "simulated.tsv", "--quiet"};
}
Command calibrate(const std::string& seed) {
  return {"calibrate", "scores.csv", "--seed",     seed,           "--resamples",
          "10",        "--out",      "calibrated", "--no-figures", "--quiet"};
}
Command recover(const std::string& seed) {
  return {"recover", "--model", "rw",        "--subjects",   "3",      "--trials", "20", "--seed",
          seed,      "--out",   "recovered", "--no-figures", "--quiet"};
}
Command estimators(const std::string& seed) {
  return {"estimators", "--samples", "5",        "--repetitions", "20",     "--seed",
          seed,         "--out",     "compared", "--no-figures",  "--quiet"};
}
Command sweep(const std::string& seed) {
  return {"sweep",  "shallow-regression", "--set",  "rows=20", "--set", "epochs=1",
          "--grid", "units=2,3",          "--seed", seed,      "--out", "swept",
          "--quiet"};
}
Command sequences(const std::string& seed) {
  return {"sequences", "--model", "chain.csv", "--compare", "--runs",       "3",      "--max-length", "4",
          "--seed",    seed,      "--out",     "estimated", "--no-figures", "--quiet"};
}
Command word2vec(const std::string& seed) {
  return {"word2vec", "text.txt", "--dimension", "3",  "--min-count", "1",           "--sample", "1",
          "--epochs", "1",        "--seed",      seed, "--out",       "vectors.txt", "--quiet"};
}
Command predict(const std::string& rows) {
  return {"predict", "run", "--in", rows, "--to", "predictions.csv"};
}

using Results = std::function<std::string(const fs::path&)>;

Results all_of(const std::vector<std::string>& names) {
  return [names](const fs::path& folder) {
    std::string text;
    for (const std::string& name : names) text += whole_of(folder / name);
    return text;
  };
}

// A line for each of these files.
Results lines_of(const std::vector<std::string>& names) {
  return [names](const fs::path& folder) {
    std::string text;
    for (const std::string& name : names) {
      if (fs::exists(folder / name))
        text += name + " " + std::to_string(io::checksum_of(read_bytes(folder / name))) + "\n";
    }
    return text;
  };
}

// A line for each trial that has a model.
std::string trials_of(const fs::path& sweep) {
  std::string text;
  for (int i = 1; i <= 2; ++i) {
    const std::string name = "trial-" + std::to_string(i);
    const std::string numbers = numbers_in(sweep / name / "model.safetensors");
    if (!numbers.empty()) text += name + " " + std::to_string(io::checksum_of(numbers)) + "\n";
  }
  return text;
}

// A command for which there are no earlier results, and one that replaces them.
void add_both(std::vector<Scenario>& all, const Scenario& how, const Command& earlier,
              const std::string& place) {
  const Command forced = with(how.command, {"--force"});
  Scenario first = how;
  // Where results grow in place a first run that is killed leaves what it had.
  if (!how.look.empty()) first.at_once = false;
  first.after = [=](const fs::path& folder) { return fs::exists(folder / place) ? forced : how.command; };
  all.push_back(first);
  Scenario instead = how;
  instead.name += "Instead";
  instead.before = {earlier};
  instead.command = forced;
  instead.after = [=](const fs::path&) { return forced; };
  all.push_back(instead);
}

}  // namespace

Command with(Command command, const Command& more) {
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

std::string numbers_in(const fs::path& file) {
  if (!fs::exists(file)) return "";
  std::string bytes;
  for (const auto& [name, tensor] : io::load_safetensors(file).tensors) {
    bytes += name + tensor.shape().string();
    for (const double value : tensor.to_vector<double>())
      bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  return bytes;
}

void prepare_files(const fs::path& folder) {
  std::string table = "height,species,y\n";
  for (int i = 0; i < 20; ++i)
    table += std::to_string(i % 7) + "." + std::to_string(i) + (i % 2 == 0 ? ",cat" : ",dog") +
             (i % 3 == 0 ? ",a\n" : ",b\n");
  write_bytes(folder / "table.csv", table);
  std::string trials = "subjID\tchoice\toutcome\n";
  for (int i = 0; i < 30; ++i)
    trials +=
        std::string(i < 15 ? "a" : "b") + (i % 3 == 0 ? "\t1\t" : "\t2\t") + (i % 2 == 0 ? "1\n" : "0\n");
  write_bytes(folder / "trials.tsv", trials);
  write_bytes(folder / "chain.csv", "state,a,b,end\nstart,0.5,0.5,0\na,0.25,0.5,0.25\nb,0.5,0,0.5\n");
  std::string scores = "label,a,b\n";
  for (int i = 0; i < 40; ++i)
    scores += std::string(i % 5 == 0 ? "a," : "b,") + std::to_string(i % 7) + "," +
              std::to_string(i % 4 + 2) + "\n";
  write_bytes(folder / "scores.csv", scores);
  write_bytes(folder / "text.txt", "the king and the queen of the sea\n");
  write_bytes(folder / "rows.csv", "x\n0.5\n1.5\n");
  write_bytes(folder / "earlier_rows.csv", "x\n-0.5\n2.5\n");
}

std::string whole_of(const fs::path& results) {
  if (!fs::exists(results)) return "";
  const auto contents = [](const fs::path& file) {
    return file.extension() == ".safetensors" ? numbers_in(file) : text_in(file);
  };
  if (!fs::is_directory(results)) return "\n" + results.filename().string() + ":\n" + contents(results);
  std::vector<std::string> files;
  for (auto place = fs::recursive_directory_iterator(results); place != fs::recursive_directory_iterator();
       ++place) {
    if (is_passing(place->path())) {
      place.disable_recursion_pending();
    } else if (place->is_regular_file()) {
      files.push_back("\n" + fs::relative(place->path(), results).string() + ":\n" + contents(place->path()));
    }
  }
  // A folder in which there is nothing to be seen is claimed, no more.
  if (files.empty()) return "";
  std::sort(files.begin(), files.end());
  std::string all = "\n" + results.filename().string() + "/:\n";
  for (const std::string& file : files) all += file;
  return all;
}

std::vector<Scenario> scenarios() {
  const Command resume{"resume", "run", "--quiet"};
  const Command longer{"resume", "run", "--epochs", "3", "--quiet"};
  const auto run_model = [](const fs::path& folder) {
    return numbers_in(folder / "run" / "model.safetensors");
  };
  const auto has_run = [](const fs::path& folder) { return fs::exists(folder / "run" / "recipe.json"); };
  std::vector<Scenario> all{
      {.name = "Train",
       .command = train("1", "2"),
       .after = [=](const fs::path& folder) { return has_run(folder) ? resume : train("1", "2"); },
       .results = run_model},
      {.name = "TrainInstead",
       .before = {train("2", "2")},
       .command = with(train("1", "2"), {"--force"}),
       .after = [=](const fs::path&) { return resume; },
       .results = run_model,
       .old_is_fine = true},
      {.name = "Resume",
       .before = {train("1", "2")},
       .command = longer,
       .after = [=](const fs::path&) { return longer; },
       .results = run_model},
      {.name = "Predict",
       .before = {train("1", "2"), predict("earlier_rows.csv")},
       .command = predict("rows.csv"),
       .after = [](const fs::path&) { return predict("rows.csv"); },
       .results = [](const fs::path& folder) { return whole_of(folder / "predictions.csv"); },
       .at_once = true},
  };
  // The report, which is made last, is of no use without the model; the model is, without a report.
  const auto table = [](const fs::path& folder) {
    std::string text;
    for (const char* name : {"recipe.json", "columns.json", "table.json", "model.safetensors"})
      text += whole_of(folder / "run" / name);
    return text;
  };
  add_both(all, {.name = "Table", .command = csv("1"), .results = table, .at_once = true, .look = csv("1")},
           csv("2"), "run");
  add_both(all, {.name = "Fit", .command = fit("0,6.25"), .results = all_of({"fitted"}), .at_once = true},
           fit("1,2"), "fitted");
  add_both(
      all,
      {.name = "Compare", .command = compare("0,6.25"), .results = all_of({"compared"}), .at_once = true},
      compare("1,2"), "compared");
  add_both(all,
           {.name = "Simulate",
            .command = simulate("1"),
            .results = lines_of({"simulated.tsv", "simulated-parameters.csv"}),
            .at_once = true,
            .some_may_be_missing = true},
           simulate("2"), "simulated.tsv");
  add_both(
      all,
      {.name = "Calibrate", .command = calibrate("1"), .results = all_of({"calibrated"}), .at_once = true},
      calibrate("2"), "calibrated");
  add_both(all,
           {.name = "Recover", .command = recover("1"), .results = all_of({"recovered"}), .at_once = true},
           recover("2"), "recovered");
  add_both(
      all,
      {.name = "Estimators", .command = estimators("1"), .results = all_of({"compared"}), .at_once = true},
      estimators("2"), "compared");
  add_both(
      all,
      {.name = "Sequences", .command = sequences("1"), .results = all_of({"estimated"}), .at_once = true},
      sequences("2"), "estimated");
  add_both(all,
           {.name = "Word2Vec",
            .command = word2vec("1"),
            .results = [](const fs::path& folder) { return whole_of(folder / "vectors.txt"); },
            .at_once = true},
           word2vec("2"), "vectors.txt");
  add_both(all,
           {.name = "Sweep",
            .command = sweep("1"),
            .results = [](const fs::path& folder) { return trials_of(folder / "swept"); },
            .at_once = true,
            .look = sweep("1"),
            .some_may_be_missing = true,
            .some_are_fine = true},
           sweep("2"), "swept");
  return all;
}

std::vector<std::string> scenario_names() {
  std::vector<std::string> names;
  for (const Scenario& scenario : scenarios()) names.push_back(scenario.name);
  return names;
}

}  // namespace likely::faults
