// A Markov chain in a table: a column for each state, and a row for what follows it.
//
//   state,sun,rain,end
//   start,0.5,0.5,0        how a sequence begins
//   sun,0.7,0.2,0.1
//   rain,0.4,0.4,0.2       the state without a row, "end", is where sequences end
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "likely/core/cancel.hpp"
#include "likely/prob/sequence/markov_chain.hpp"

namespace likely::sequences {

struct NamedChain {
  MarkovChain chain;
  std::vector<std::string> states;
  std::vector<std::string> notes{};  // what was decided about the file

  // Refuses a name that no state has, and says which come close.
  std::int64_t state(const std::string& name) const;
};

// Fields are separated by whatever guess_separator finds; rows come in any order. A row that adds up to 1
// within a hundredth is rescaled, and a note says so. Where each state has a row, the only one that leads
// just to itself is the end, and noted. Refuses others, states without a name or that come twice, and more
// than one state without a row, with file and line.
NamedChain read_chain(const std::filesystem::path& path, const CancelTest& cancelled = {});

}  // namespace likely::sequences
