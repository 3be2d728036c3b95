// fit, compare, simulate and recover, run as a user would.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <sstream>

#include "likely/io/json.hpp"
#include "tests/command/command.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::testing {

namespace {

using Words = std::vector<std::string>;
using Json = io::SortedJson;

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// A folder with trials.tsv: six simulated subjects of 60 trials.
class SmallStudy {
 public:
  SmallStudy() {
    const Ran made = run({"simulate", "--subjects", "6", "--trials", "60", "--seed", "3", "--param",
                          "alpha=0.4", "--param", "beta=4", "--out", "trials.tsv"});
    EXPECT_EQ(made.code, 0) << made.err;
  }
  Ran run(const Words& words) const { return likely_command(folder.path().string(), words); }
  Json run_json(const Words& words) const {
    const Ran ran = run(words + Words{"--json", "--quiet"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
    return io::json_or_none<Json>(ran.out);
  }
  // Expects exit code 2, this line, and no new file.
  void refuses(const Words& words, const std::string& line) const {
    const std::string before = folder.list();
    const Ran ran = run(words);
    EXPECT_EQ(ran.code, 2) << line;
    EXPECT_EQ(ran.err, line + "\n");
    EXPECT_EQ(ran.out, "") << line;
    EXPECT_EQ(folder.list(), before) << line;
  }

  TemporaryFolder folder;
};

// The lines of a table without its heading, and one field of a line.
std::vector<std::string> rows_of(const std::filesystem::path& path) {
  std::istringstream text(read_bytes(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  lines.erase(lines.begin());
  return lines;
}

std::vector<double> numbers_in(const std::string& line) {
  std::istringstream text(line);
  std::vector<double> numbers;
  for (std::string field; std::getline(text, field, ',');)
    numbers.push_back(std::strtod(field.c_str(), nullptr));
  return numbers;
}

// Over nothing: whoever is second is refused, or replaces both files.
TEST(ChoiceCommands, SimulationsAtTheSameTimeDoNotMixTheirFiles) {
  const TemporaryFolder folder;
  const std::string at = folder.path().string();
  const auto simulate = [](const std::string& subjects, const std::string& out) {
    return std::vector<std::string>{"simulate", "--subjects", subjects, "--out", out, "--force", "--quiet"};
  };
  for (int round = 0; round < 5; ++round) {
    std::vector<pid_t> children;
    for (const char* subjects : {"3", "5"})
      children.push_back(start_command(at, simulate(subjects, "x.csv"), (folder / subjects).string(),
                                       (folder / (std::string(subjects) + ".err")).string()));
    int good = 0;
    for (const pid_t child : children) good += wait_for(child) == 0 ? 1 : 0;
    EXPECT_GE(good, 1);
    const std::string people = read_bytes(folder / "x-parameters.csv");
    const std::string trials = read_bytes(folder / "x.csv");
    const bool five = std::count(people.begin(), people.end(), '\n') == 6;
    EXPECT_EQ(trials.find("\n5,") != std::string::npos, five);
    std::filesystem::remove(folder / "x.csv");
    std::filesystem::remove(folder / "x-parameters.csv");
  }
}

}  // namespace

TEST(ChoiceCommands, SimulateWritesTrialsAndTheTruth) {
  const SmallStudy study;
  EXPECT_EQ(study.folder.list(), "trials-parameters.csv trials.tsv");
  const std::string trials = read_bytes(study.folder / "trials.tsv");
  EXPECT_EQ(trials.substr(0, trials.find('\n')), "subjID\ttrial\tchoice\toutcome");
  EXPECT_EQ(rows_of(study.folder / "trials.tsv").size(), 360U);
  EXPECT_EQ(rows_of(study.folder / "trials-parameters.csv")[5], "6,0.4,4");
  // More subjects do not change the first.
  EXPECT_EQ(study
                .run({"simulate", "--subjects", "7", "--trials", "60", "--seed", "3", "--param", "alpha=0.4",
                      "--param", "beta=4", "--out", "more.tsv"})
                .code,
            0);
  EXPECT_EQ(read_bytes(study.folder / "more.tsv").substr(0, trials.size()), trials);
}

TEST(ChoiceCommands, SimulateTakesPeopleFromAFile) {
  const SmallStudy study;
  const Words again{"simulate", "--parameters", "trials-parameters.csv", "--trials", "60", "--seed", "3"};
  EXPECT_EQ(study.run(again + Words{"--out", "again.tsv", "--json"}).code, 0);
  EXPECT_EQ(read_bytes(study.folder / "again.tsv"), read_bytes(study.folder / "trials.tsv"));
  study.refuses(again + Words{"--out", "x.tsv", "--subjects", "3"},
                "likely: --parameters says who there is: --param and --subjects have no meaning then");
  study.refuses({"simulate", "--out", "x.tsv", "--model", "rw,ck"},
                "likely: trials are simulated by one model at a time");
  study.refuses({"simulate", "--out", "nowhere/x.tsv", "--subjects", "1"},
                "likely: [AtomicFile] cannot create nowhere/x.tsv: No such file or directory");
}

TEST(ChoiceCommands, SimulateSaysHowItReadAndDrewPeople) {
  const SmallStudy study;
  write_bytes(study.folder / "people.csv", "subjID;alpha;beta\n1;0,3;2\n2;0,5;3\n");
  const std::string note =
      "people.csv: column \"alpha\": \"0,3\" in line 2 is read as a number with a decimal comma";
  const Words read{"simulate", "--parameters", "people.csv", "--trials", "3"};
  const Ran ran = study.run(read + Words{"--out", "a.tsv"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out,
            "rw: 2 subjects, 6 trials, 2 options\ntrials: a.tsv\ntrue parameters: a-parameters.csv\n"
            "warning: " +
                note + "\n");
  const Ran json = study.run(read + Words{"--out", "b.tsv", "--json"});
  EXPECT_EQ(io::parse_json<Json>(json.out)["warnings"], Json::array({note}));
  const Ran drawn = study.run({"simulate", "--param", "alpha=uniform:0.5,1.5", "--out", "c.tsv"});
  EXPECT_NE(drawn.out.find("warning: --param alpha=uniform:0.5,1.5: alpha lies between 0 and 1: "),
            std::string::npos)
      << drawn.out;
  const Ran one = study.run({"simulate", "--subjects", "1", "--trials", "1", "--out", "d.tsv"});
  EXPECT_TRUE(one.out.starts_with("rw: 1 subject, 1 trial, 2 options\n")) << one.out;
  EXPECT_EQ(one.out.find("warning"), std::string::npos) << one.out;
  study.refuses({"simulate", "--out", "x.tsv", "--lowest", "0.2"},
                "likely: --lowest has no meaning without --drift");
  study.refuses({"recover", "--loss", "-2"}, "likely: --loss has no meaning without --loss-probabilities");
}

TEST(ChoiceCommands, FitSkipsLinesBeforeTheTable) {
  const SmallStudy study;
  write_bytes(study.folder / "made.tsv", "# made today\n" + read_bytes(study.folder / "trials.tsv"));
  study.refuses(
      {"fit", "made.tsv"},
      "likely: [read_trials] made.tsv, line 1: 1 field, but the lines from line 2 on have 4: --skip 1 "
      "passes over what stands before the table");
  const Json fitted = study.run_json({"fit", "made.tsv", "--skip", "1"});
  EXPECT_EQ(fitted["trials"], 360);
  EXPECT_EQ(fitted["option_names"], Json({"1", "2"}));
  EXPECT_EQ(fitted["notes"], Json::array({"columns: subject=subjID, choice=choice, outcome=outcome, "
                                          "trial=trial"}));
}

TEST(ChoiceCommands, FitPrintsAnObjectWithTheDocumentedKeys) {
  const SmallStudy study;
  const Json fitted = study.run_json({"fit", "trials.tsv", "--model", "rw,random", "--method", "map"});
  EXPECT_EQ(fitted["method"], "map");
  EXPECT_EQ(fitted["file"], "trials.tsv");
  EXPECT_EQ(fitted["subjects"], 6);
  EXPECT_EQ(fitted["trials"], 360);
  ASSERT_EQ(fitted["models"].size(), 2U);
  const Json& rw = fitted["models"][0];
  EXPECT_EQ(rw["name"], "rw");
  EXPECT_EQ(rw["parameters"], Json({"alpha", "beta"}));
  ASSERT_EQ(rw["subjects"].size(), 6U);
  for (const char* key : {"log_likelihood", "log_joint", "log_evidence", "aic", "bic"}) {
    double sum = 0.0;
    for (const Json& subject : rw["subjects"]) sum += subject[key].get<double>();
    EXPECT_NEAR(rw[key].get<double>(), sum, 1e-9) << key;
  }
  const Json& first = rw["subjects"][0];
  EXPECT_EQ(first["id"], "1");
  EXPECT_GT(first["estimate"]["alpha"].get<double>(), 0.0);
  EXPECT_LT(first["estimate"]["alpha"].get<double>(), 1.0);
  EXPECT_GT(first["estimate"]["beta"].get<double>(), 0.0);
  // Choices of two options at random.
  EXPECT_NEAR(fitted["models"][1]["log_likelihood"].get<double>(), -360.0 * std::log(2.0), 1e-9);
  EXPECT_NEAR(fitted["models"][1]["bic"].get<double>(), 720.0 * std::log(2.0), 1e-9);
  // A method that has no prior has no evidence.
  const Json alone = study.run_json({"fit", "trials.tsv", "--method", "mle"});
  EXPECT_TRUE(alone["models"][0]["log_evidence"].is_null());
  EXPECT_GE(alone["models"][0]["log_likelihood"].get<double>(), rw["log_likelihood"].get<double>());
}

TEST(ChoiceCommands, FitKeepsTablesAndFigures) {
  const SmallStudy study;
  const Words words{"fit", "trials.tsv", "--model", "rw", "--method", "mle", "--out", "kept"};
  const Ran ran = study.run(words);
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("tables: kept\n"), std::string::npos) << ran.out;
  EXPECT_EQ(study.folder.list(), "kept trials-parameters.csv trials.tsv");
  const std::filesystem::path kept = study.folder / "kept";
  EXPECT_EQ(rows_of(kept / "models.csv").size(), 1U);
  EXPECT_EQ(rows_of(kept / "subjects-rw.csv").size(), 6U);
  const Json saved = io::parse_json<Json>(read_bytes(kept / "fit.json"));
  EXPECT_EQ(saved, study.run_json({"fit", "trials.tsv", "--model", "rw", "--method", "mle"}));

  // Trial by trial: what was chosen, its probability and its prediction error are those of the equations.
  const std::string table = read_bytes(kept / "trials-rw.csv");
  EXPECT_EQ(
      table.substr(0, table.find('\n')),
      "subjID,block,trial,choice,outcome,p_choice,value_choice,prediction_error,p_1,p_2,value_1,value_2");
  const std::vector<std::string> rows = rows_of(kept / "trials-rw.csv");
  ASSERT_EQ(rows.size(), 360U);
  const Json& estimate = saved["models"][0]["subjects"][0]["estimate"];
  const double alpha = estimate["alpha"], beta = estimate["beta"];
  double value[2] = {0.0, 0.0}, log_likelihood = 0.0;
  for (std::size_t t = 0; t < 60; ++t) {
    const std::vector<double> x = numbers_in(rows[t]);
    const int choice = static_cast<int>(x[3]) - 1;
    const double p = 1.0 / (1.0 + std::exp(beta * (value[1 - choice] - value[choice])));
    EXPECT_NEAR(x[5], p, 1e-12) << t;
    EXPECT_NEAR(x[6], value[choice], 1e-12) << t;
    EXPECT_NEAR(x[7], x[4] - value[choice], 1e-12) << t;
    log_likelihood += std::log(p);
    value[choice] += alpha * (x[4] - value[choice]);
  }
  EXPECT_NEAR(saved["models"][0]["subjects"][0]["log_likelihood"].get<double>(), log_likelihood, 1e-9);

  if (std::filesystem::exists(kept / "figures/learning-rw.png")) {
    for (const char* name : {"learning-rw.svg", "parameters-rw.png", "parameters-rw.svg"})
      EXPECT_GT(std::filesystem::file_size(kept / "figures" / name), 1000U) << name;
  }
  study.refuses(words, "likely: kept already holds results; replace them (--force) or choose another folder");
  EXPECT_EQ(study.run(words + Words{"--force", "--no-figures", "--no-trials"}).code, 0);
  EXPECT_FALSE(std::filesystem::exists(kept / "trials-rw.csv"));
  EXPECT_EQ(study.folder.list(), "kept trials-parameters.csv trials.tsv");
}

TEST(ChoiceCommands, ResultsDoNotDependOnThreads) {
  const SmallStudy study;
  const std::vector<Words> all{
      {"fit", "trials.tsv", "--model", "rw,rw-stick", "--method", "mle", "--json"},
      {"fit", "trials.tsv", "--method", "em", "--json"},
      {"fit", "trials.tsv", "--method", "nuts", "--chains", "2", "--samples", "20", "--warm-up", "30",
       "--json"},
      {"compare", "trials.tsv", "--model", "rw,ck,random", "--json"},
      {"recover", "--model", "rw,ck", "--subjects", "5", "--trials", "40", "--json"}};
  for (const Words& words : all) {
    const Ran one = study.run(words + Words{"--threads", "1", "--quiet"});
    ASSERT_EQ(one.code, 0) << one.err;
    for (const char* threads : {"2", "3"})
      EXPECT_EQ(study.run(words + Words{"--threads", threads, "--quiet"}).out, one.out)
          << words[0] << words[3];
  }
}

TEST(ChoiceCommands, CompareSaysWhichModelIsBest) {
  const SmallStudy study;
  const Json compared =
      study.run_json({"compare", "trials.tsv", "--model", "random,rw", "--out", "compared"});
  EXPECT_EQ(compared["best"], "rw");
  EXPECT_EQ(compared["criterion"], "ln evidence");
  double frequencies = 0.0;
  for (const Json& model : compared["models"]) frequencies += model["frequency"].get<double>();
  EXPECT_NEAR(frequencies, 1.0, 1e-9);
  EXPECT_EQ(compared["models"][0]["best_for"].get<int>() + compared["models"][1]["best_for"].get<int>(), 6);
  EXPECT_LT(compared["models"][0]["difference"].get<double>(), 0.0);
  EXPECT_EQ(rows_of(study.folder / "compared/selection.csv").size(), 2U);
  study.refuses({"compare", "trials.tsv", "--model", "rw"},
                "likely: at least 2 models are needed to compare: --model rw,rw-dual");
}

TEST(ChoiceCommands, RecoverCorrelatesTruthAndFit) {
  const SmallStudy study;
  const Json recovered = study.run_json(
      {"recover", "--model", "rw,random", "--subjects", "40", "--trials", "300", "--probabilities", "0.2,0.8",
       "--param", "alpha=uniform:0.1,0.9", "--param", "beta=uniform:1,6", "--out", "r"});
  ASSERT_EQ(recovered["models"].size(), 1U);  // random has nothing to recover
  EXPECT_GT(recovered["models"][0]["parameters"]["alpha"]["correlation"].get<double>(), 0.5);
  EXPECT_GT(recovered["models"][0]["parameters"]["beta"]["correlation"].get<double>(), 0.5);
  EXPECT_EQ(recovered["confusion"]["models"], Json({"rw", "random"}));
  EXPECT_GT(recovered["confusion"]["confusion"][0][0].get<double>(), 0.9);
  EXPECT_GT(recovered["confusion"]["confusion"][1][1].get<double>(), 0.9);
  EXPECT_EQ(rows_of(study.folder / "r/recovery-rw.csv").size(), 40U);
  EXPECT_EQ(rows_of(study.folder / "r/confusion.csv").size(), 4U);
}

TEST(ChoiceCommands, NutsKeepsThePopulation) {
  const SmallStudy study;
  const Json fitted = study.run_json({"fit", "trials.tsv", "--method", "nuts", "--chains", "2", "--samples",
                                      "100", "--warm-up", "100", "--out", "sampled"});
  const Json& rw = fitted["models"][0];
  EXPECT_TRUE(rw["bic"].is_null());
  EXPECT_LT(rw["loo"]["elpd"].get<double>(), 0.0);
  EXPECT_EQ(rw["chains"], 2);
  EXPECT_FALSE(rw["population"].empty());
  double loo = 0.0;
  for (const Json& subject : rw["subjects"]) loo += subject["loo"].get<double>();
  EXPECT_NEAR(loo, rw["loo"]["elpd"].get<double>(), 1e-9);
  EXPECT_EQ(rows_of(study.folder / "sampled/draws-rw.csv").size(), 200U);
}

TEST(ChoiceCommands, EmTakesCovariates) {
  const SmallStudy study;
  write_bytes(study.folder / "people.csv", "subjID,age\n1,20\n2,31\n3,25\n4,60\n5,44\n6,37\n");
  const Json fitted = study.run_json({"fit", "trials.tsv", "--method", "em", "--covariates", "people.csv"});
  const Json& beta = fitted["models"][0]["population"]["beta"];
  EXPECT_TRUE(beta["covariates"]["age"]["coefficient"].is_number());
  EXPECT_TRUE(fitted["models"][0]["integrated_bic"].is_number());
  const double age = beta["covariates"]["age"]["mean"];
  EXPECT_NEAR(age, 217.0 / 6.0, 1e-12);
  const double mean = beta["intercept"]["coefficient"].get<double>() +
                      age * beta["covariates"]["age"]["coefficient"].get<double>();
  EXPECT_NEAR(beta["mean"].get<double>(), mean, 1e-9);
  EXPECT_NEAR(beta["middle"].get<double>(), std::exp(mean), 1e-9);
  write_bytes(study.folder / "people.csv", "subjID,age\n1,20\n2,31\n3,25\n4,60\n5,44\n");
  study.refuses({"fit", "trials.tsv", "--method", "em", "--covariates", "people.csv"},
                "likely: people.csv: subject 6 has no row");
  study.refuses({"fit", "trials.tsv", "--covariates", "people.csv"},
                "likely: --covariates is for --method em, and the method is map");
}

TEST(ChoiceCommands, RefusesWithOneLine) {
  const SmallStudy study;
  const Words fit{"fit", "trials.tsv"};
  study.refuses({"fit"}, "likely fit: trials is required; see `likely fit --help`");
  study.refuses(
      fit + Words{"--method", "mpa"},
      "likely: --method: there is no method \"mpa\"; did you mean \"map\"?; there are mle, map, em, nuts");
  study.refuses(fit + Words{"--modle", "rw"}, "likely fit has no option --modle; did you mean \"--model\"?");
  study.refuses(fit + Words{"--model", "rw,rw"}, "likely: --model: rw is named twice");
  study.refuses(fit + Words{"--learn", "rw"}, "likely: --learn needs --choose: a model learns and chooses");
  study.refuses(fit + Words{"--prior", "0"},
                "likely: --prior 0: two numbers are needed, a mean and a variance: --prior 0,6.25");
  study.refuses(fit + Words{"--prior", "0,-1"}, "likely: --prior 0,-1: the variance must be above 0");
  study.refuses(fit + Words{"--prior", "0,wide"}, "likely: --prior 0,wide: \"wide\" is not a number");
  study.refuses(
      fit + Words{"--bound", "bta=0,20"},
      "likely: --bound bta=0,20: there is no parameter \"bta\"; did you mean \"beta\"?; there are alpha, "
      "beta");
  study.refuses(fit + Words{"--bound", "alpha=0,2"}, "likely: --bound alpha=0,2: alpha lies between 0 and 1");
  study.refuses(fit + Words{"--bound", "beta=5,5"},
                "likely: --bound beta=5,5: the lower bound must be below the upper one");
  study.refuses(fit + Words{"--method", "em", "--prior", "0,1"},
                "likely: --prior is for --method map, and the method is em");
  study.refuses(fit + Words{"--chains", "2"}, "likely: --chains is for --method nuts, and the method is map");
  study.refuses(fit + Words{"--out", "trials.tsv"}, "likely: trials.tsv: this is a file, not a folder");
  study.refuses({"recover", "--method", "nuts"},
                "likely: --method: recover fits by mle, map or em, not by nuts");
  study.refuses({"recover", "--param", "gamma=1"},
                "likely: --param gamma=1: no model has a parameter \"gamma\"");
  study.refuses({"simulate", "--out", "x.tsv", "--param", "alpha=2"},
                "likely: --param alpha=2: alpha lies between 0 and 1, and no such number was drawn");
  study.refuses({"simulate", "--out", "x.tsv", "--param", "alpha=unifrom:0,1"},
                "likely: --param alpha=unifrom:0,1: \"unifrom\" is neither a number nor a law; did you mean "
                "\"uniform\"?; there are uniform, exponential, normal, lognormal, gamma, beta, prior");
  study.refuses({"simulate", "--out", "x.tsv", "--param", "beta=exponential:-1"},
                "likely: --param beta=exponential:-1: this is no law of the form exponential:mean");
}

TEST(ChoiceCommands, NamesTheLineOfABadFile) {
  const SmallStudy study;
  write_bytes(study.folder / "bad.csv", "subjID,choice,outcome\n1,1,0\n1,two,1\n");
  const Ran ran = study.run({"fit", "bad.csv", "--coding", "from-one", "--out", "nothing"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_NE(ran.err.find("bad.csv, line 3"), std::string::npos) << ran.err;
  EXPECT_FALSE(std::filesystem::exists(study.folder / "nothing"));
  // Rows with missing fields are left out, and said.
  write_bytes(study.folder / "gaps.csv", "who,press,win\na,left,1\na,NA,0\na,right,0\nb,left,1\nb,right,1\n");
  const Ran gaps =
      study.run({"fit", "gaps.csv", "--subject", "who", "--choice-column", "press", "--outcome", "win"});
  EXPECT_EQ(gaps.code, 0) << gaps.err;
  EXPECT_NE(gaps.out.find("warning: gaps.csv: 1 row with missing fields left out: line 3\n"),
            std::string::npos)
      << gaps.out;
}

// cbm's Hessians are forward differences, right to three digits; ours are exact, and on request like cbm's.
TEST(ChoiceCommands, ReachesTheEvidencesOfCbm) {
  LIKELY_SHARED_DATA(folder, "cbm");
  const TemporaryFolder here;
  const std::filesystem::path data = std::filesystem::absolute(folder);
  const std::vector<std::string> rows = rows_of(data / "reference_lap_RL.csv");
  for (const bool as_cbm : {false, true}) {
    Words words{
        "fit",   (data / "rl_task.csv.gz").string(), "--model", "rw", "--method", "map", "--prior", "0,6.25",
        "--json"};
    if (as_cbm) words.push_back("--forward-differences");
    const Ran ran = likely_command(here.path().string(), words);
    ASSERT_EQ(ran.code, 0) << ran.err;
    const Json model = io::parse_json<Json>(ran.out)["models"][0];
    EXPECT_NEAR(model["log_evidence"].get<double>(), -1611.27433, as_cbm ? 5e-5 : 1e-3);
    ASSERT_EQ(model["subjects"].size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::vector<double> expected = numbers_in(rows[i]);
      const Json& subject = model["subjects"][i];
      EXPECT_EQ(subject["id"], rows[i].substr(0, rows[i].find(',')));
      EXPECT_NEAR(subject["log_joint"].get<double>(), expected[3], 1e-6) << i;
      EXPECT_NEAR(subject["log_det_hessian"].get<double>(), expected[4], as_cbm ? 5e-5 : 2e-3) << i;
      EXPECT_NEAR(subject["log_evidence"].get<double>(), expected[5], as_cbm ? 3e-5 : 1e-3) << i;
      EXPECT_NEAR(subject["log_likelihood"].get<double>(), expected[6], 1e-5) << i;
    }
  }
}

TEST(ChoiceCommands, ReachesTheLikelihoodsOfTheTwoArmedBandit) {
  LIKELY_SHARED_DATA(folder, "hbayesdm");
  const TemporaryFolder here;
  const std::filesystem::path data = std::filesystem::absolute(folder);
  const Ran ran =
      likely_command(here.path().string(), {"fit", (data / "bandit2arm_exampleData.txt").string(), "--model",
                                            "rw", "--method", "mle", "--bound", "beta=0,20", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const Json fitted = io::parse_json<Json>(ran.out);
  EXPECT_NEAR(fitted["models"][0]["log_likelihood"].get<double>(), -1251.8989, 1e-4);
  const std::vector<std::string> rows = rows_of(data / "reference_mle_rw_bandit2arm.csv");
  ASSERT_EQ(fitted["models"][0]["subjects"].size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::vector<double> expected = numbers_in(rows[i]);
    const Json& subject = fitted["models"][0]["subjects"][i];
    EXPECT_NEAR(subject["estimate"]["alpha"].get<double>(), expected[1], 1e-4) << i;
    EXPECT_NEAR(subject["estimate"]["beta"].get<double>(), expected[2], 1e-4) << i;
    EXPECT_NEAR(-subject["log_likelihood"].get<double>(), expected[3], 1e-6) << i;
  }
}

}  // namespace likely::testing
