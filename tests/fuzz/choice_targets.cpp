// Trials, people, and what a command is told about models of choice.
#include <fmt/format.h>

#include "likely/models/choice/trials.hpp"
#include "likely/models/choice_study/request.hpp"
#include "likely/models/choice_study/subject_parameters.hpp"
#include "tests/fuzz/choices.hpp"
#include "tests/fuzz/raw_archive.hpp"
#include "tests/fuzz/target.hpp"

namespace likely::fuzz {

namespace {

using Paths = const std::filesystem::path&;

const std::string kTrials =
    "subjID,trial,choice,outcome,block\na,1,1,0.5,1\na,2,2,-1,1\nb,1,1,1,1\nb,2,1,NA,2\n";
const std::string kCues = "subjID\tchoice\toutcome\tcues_1\tcues_2\n1\tleft\t1\tA+C\tB\n1\tright\t0\tB\tA\n";
const std::string kGains =
    "subjID,block,trial,choice,gain,loss,offered\n1,1,1,1,1,0,1+2\n1,1,2,2,0,-1,1+2+3\n1,2,1,3,0.5,0,3+1\n"
    "2,1,1,1,NA,0,1+2\n2,1,2,1,1e3,0,1+3\n";
const std::string kPeople = "subjID,alpha,beta\n1,0.3,2.5\n2,0.7,1e-3\n";

void look_at(const choice::Trials& trials) {
  choice::check_trials(trials);
  demand(trials.size() > 0, "no trials");
  demand(trials.options <= choice::kMostOptions && trials.cues <= choice::kMostCues,
         "too many options or cues");
  demand(trials.option_names.size() == static_cast<std::size_t>(trials.options), "options without a name");
}

const choice::Model& model() {
  static const choice::Model kModel = choice::named_model("rw");
  return kModel;
}

void look_at_subject_parameters(Paths path) {
  const choice::SubjectParameters subjects = choice::read_subject_parameters(path, model());
  demand(subjects.ids.size() == subjects.parameters.size(), "people without parameters");
  for (const auto& parameters : subjects.parameters)
    demand(parameters.size() == model().parameters.size(), "parameters are missing");
}

std::string trials_of(Choices& choices) {
  const char separator = choices.pick({'\t', ',', ';'});
  std::vector<std::string> columns{"subjID", "choice"};
  const auto add = [&](std::initializer_list<const char*> names) {
    columns.insert(columns.end(), names.begin(), names.end());
  };
  switch (choices.below(3)) {
    case 0: add({"outcome"}); break;
    case 1: add({"gain", "loss"}); break;
    default: add({"outcome", "gain"});
  }
  if (choices.one_in(3)) add({"block"});
  if (choices.one_in(3)) add({"trial"});
  if (choices.one_in(4)) add({"offered"});
  if (choices.one_in(4)) add({"cues"});
  if (choices.one_in(4)) add({"cues_1", "cues_2", "cues_3"});
  if (choices.one_in(12)) columns.push_back(choices.word());
  std::string text;
  for (std::size_t i = 0; i < columns.size(); ++i)
    text += (i > 0 ? std::string(1, separator) : "") + columns[i];
  text += '\n';
  for (std::size_t row = 0, rows = choices.below(24); row < rows; ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) text += separator;
      const std::string& column = columns[i];
      if (choices.one_in(40)) {
        text += choices.one_in(2) ? choices.word() : choices.number_text();
      } else if (column == "subjID") {
        text += choices.pick({"a", "b", "1", "2"});
      } else if (column == "choice") {
        text += fmt::format("{}", 1 + choices.below(3));
      } else if (column == "block") {
        text += fmt::format("{}", choices.below(3));
      } else if (column == "trial") {
        text += fmt::format("{}", row);
      } else if (column == "offered") {
        text += choices.pick({"1+2+3", "1+2", "1+3", "3", "1+1", "17", "0", "+", "1+", "-1"});
      } else if (column.starts_with("cues")) {
        text +=
            choices.pick({"A", "B", "A+B", "C+A", "", "+", "A+A", "A+B+C+D+E+F+G+H+I+J+K+L+M+N+O+P+Q+R+S+T"});
      } else if (column == "loss") {
        text += choices.pick({"0", "-1", "-2.5", "1"});
      } else {
        text += choices.one_in(6) ? fmt::format("{}", choices.number()) : "1";
      }
    }
    text += '\n';
  }
  return text;
}

choice::ReadTrialsOptions options_of(Choices& choices) {
  choice::ReadTrialsOptions options;
  if (choices.one_in(6)) options.separator = choices.byte();
  options.coding = choices.pick({choice::Coding::guess, choice::Coding::guess, choice::Coding::from_one,
                                 choice::Coding::from_zero, choice::Coding::names});
  if (choices.one_in(6)) options.options = static_cast<int>(choices.whole());
  if (choices.one_in(12)) options.choice = choices.word_of({"choice", "subjID", "outcome"});
  if (choices.one_in(12)) options.outcome = choices.word_of({"choice", "gain", "outcome"});
  return options;
}

// "beta=normal:1,2" and its like, of parts that fit and parts that do not.
std::string law(Choices& choices) {
  if (choices.one_in(2)) {
    return choices.pick({"alpha=0.3", "beta=uniform:0,1", "beta=exponential:10", "alpha=beta:2,3",
                         "beta=lognormal:0,1", "beta=gamma:2,0.5", "alpha=prior:0,1"});
  }
  std::string text = choices.word_of({"alpha", "beta", ""});
  text += choices.pick({"=", "=", "=", "", ":", "=="});
  text +=
      choices.word_of({"uniform:", "exponential:", "normal:", "lognormal:", "gamma:", "beta:", "prior:", ""});
  for (std::size_t left = choices.below(4); left > 0; --left)
    text += choices.number_text() + (left > 1 ? "," : "");
  return text;
}

std::vector<std::string> starts() {
  return {"", std::string(40, '\1'), std::string(90, '\2'), std::string(60, '\5')};
}

}  // namespace

void add_choice_targets(std::vector<Target>& all) {
  all.push_back({"trials",
                 [](std::string_view input) {
                   return read_file(input, kPacked, [](Paths path) { look_at(choice::read_trials(path)); });
                 },
                 [] {
                   return std::vector<std::string>{kTrials, kCues, kGains, packed(kTrials)};
                 }});
  all.push_back({"trials_meaning",
                 [](std::string_view input) {
                   Choices choices(input);
                   const choice::ReadTrialsOptions options = options_of(choices);
                   std::string text = trials_of(choices);
                   if (choices.one_in(8)) text = gzip_of(text, choices);
                   return read_file(text, kPacked,
                                    [&](Paths path) { look_at(choice::read_trials(path, options)); });
                 },
                 starts, false});
  all.push_back({"people",
                 [](std::string_view input) { return read_file(input, kPacked, look_at_subject_parameters); },
                 [] { return std::vector<std::string>{kPeople}; }});
  all.push_back({"people_meaning",
                 [](std::string_view input) {
                   Choices choices(input);
                   std::string text = choices.word_of({"subjID,alpha,beta"}) + "\n";
                   for (std::size_t left = choices.below(12); left > 0; --left) {
                     text += choices.one_in(8) ? choices.word() : fmt::format("{}", left);
                     for (std::size_t columns = choices.one_in(20) ? choices.below(5) : 2; columns > 0;
                          --columns)
                       text += "," + choices.number_text();
                     text += '\n';
                   }
                   return read_file(text, kPacked, look_at_subject_parameters);
                 },
                 starts, false});
  all.push_back({"person_table",
                 [](std::string_view input) {
                   return read_file(input, kPacked, [](Paths path) {
                     const choice::SubjectTable table = choice::read_subject_table(path);
                     demand(table.numbers.size() == table.ids.size() * table.columns.size(),
                            "another number of numbers than of people and columns");
                   });
                 },
                 [] { return std::vector<std::string>{kPeople}; }});
  all.push_back(
      {"laws_of_people",
       [](std::string_view input) {
         return read_text([&] { choice::draw_population(model(), {std::string(input)}, 2, Rng(1)); });
       },
       [] {
         return std::vector<std::string>{"alpha=0.3",        "alpha=uniform:0,1", "beta=exponential:10",
                                         "beta=gamma:2,0.5", "alpha=beta:2,3",    "beta=lognormal:0,1",
                                         "alpha=prior:0,1"};
       }});
  all.push_back({"laws_of_people_meaning",
                 [](std::string_view input) {
                   Choices choices(input);
                   std::vector<std::string> laws;
                   for (std::size_t left = 1 + choices.below(2); left > 0; --left)
                     laws.push_back(law(choices));
                   return read_text(
                       [&] { choice::draw_population(model(), laws, 2, Rng(1), choices.one_in(2)); });
                 },
                 starts, false});
  all.push_back({"models_of_choice_meaning",
                 [](std::string_view input) {
                   Choices choices(input);
                   choice::ModelRequest request;
                   const std::vector<std::string> names{"rw", "rw-stick", "kalman", "ph", "wsls"};
                   if (!choices.one_in(4)) request.names = {choices.word_of(names)};
                   if (choices.one_in(4))
                     request.learn = choices.word_of({"dual", "delta,decay", "kalman", "dual,decay"});
                   if (choices.one_in(4))
                     request.choose = choices.word_of({"softmax", "softmax,lapse", "greedy"});
                   if (choices.one_in(3))
                     request.priors = {choices.word_of({"", "alpha=", "beta="}) + choices.number_text() +
                                       "," + choices.number_text()};
                   if (choices.one_in(3))
                     request.bounds = {choices.word_of({"alpha=", "beta="}) + choices.number_text() + "," +
                                       choices.number_text()};
                   const auto method = choices.pick(
                       {choice::Method::mle, choice::Method::map, choice::Method::em, choice::Method::nuts});
                   const int options = choices.one_in(6) ? static_cast<int>(choices.whole()) : 2;
                   const int cues = choices.one_in(6) ? static_cast<int>(choices.whole()) : 0;
                   return read_text([&] { choice::make_models(request, method, options, cues); });
                 },
                 starts, false});
}

}  // namespace likely::fuzz
