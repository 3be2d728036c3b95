// Markov chains in tables, at both levels.
#include <cmath>

#include "likely/models/softmax/search_experiment.hpp"
#include "tests/fuzz/choices.hpp"
#include "tests/fuzz/raw_archive.hpp"
#include "tests/fuzz/target.hpp"

namespace likely::fuzz {

namespace {

using Paths = const std::filesystem::path&;

const std::string kWeather = "state,sun,rain,end\nstart,0.5,0.5,0\nsun,0.7,0.2,0.1\nrain,0.4,0.4,0.2\n";
const std::string kEndless = "x;a;\"b;c\"\nstart;1;0\n\"b;c\";.333;.667\na;1e-3;0.999\n";

// What is read is a chain, whose sequences have probabilities.
void look_at_chain(Paths path) {
  const sequences::NamedChain named = sequences::read_chain(path);
  demand(named.states.size() == static_cast<std::size_t>(named.chain.states()), "states without a name");
  demand(named.chain.misfit().empty(), "a chain that does not fit together");
  const sequences::SequenceStudy study = sequences::sequence_study(named, {.count = 3, .max_length = 3});
  demand(!study.sequences.empty(), "no sequence");
  for (const double p : study.log_probabilities) demand(p <= 1e-5 && std::isfinite(p), "no log-probability");
}

std::string chain_of(Choices& choices) {
  const std::string separator(1, choices.pick({',', ';', '\t'}));
  std::vector<std::string> names;
  for (std::size_t left = 1 + choices.below(4); left > 0; --left)
    names.push_back(choices.one_in(9) ? choices.word() : choices.pick({"a", "b", "c", "d", "end"}));
  std::string text = "state";
  for (const std::string& name : names) text += separator + name;
  text += '\n';
  names.insert(names.begin(), "start");
  for (const std::string& name : names) {
    if (choices.one_in(6)) continue;
    text += choices.one_in(20) ? choices.word() : name;
    const std::size_t one = choices.below(names.size());
    for (std::size_t i = 1; i < names.size() + (choices.one_in(20) ? 1 : 0); ++i)
      text += separator + (choices.one_in(12) ? choices.number_text()
                           : i - 1 == one     ? "1"
                                              : choices.pick({"0", "0", "1e-3"}));
    text += '\n';
  }
  return text;
}

}  // namespace

void add_sequence_targets(std::vector<Target>& all) {
  all.push_back({"chain", [](std::string_view input) { return read_file(input, kPacked, look_at_chain); },
                 [] {
                   return std::vector<std::string>{kWeather, kEndless, packed(kWeather)};
                 }});
  all.push_back({"chain_meaning",
                 [](std::string_view input) {
                   Choices choices(input);
                   return read_file(chain_of(choices), kPlain, look_at_chain);
                 },
                 [] {
                   return std::vector<std::string>{"", std::string(40, '\1'), std::string(60, '\2')};
                 },
                 false});
}

}  // namespace likely::fuzz
