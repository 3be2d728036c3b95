// What mpmath says of the distributions (tools/reference/laws_reference.py wrote it).
#pragma once

#include <string>
#include <vector>

namespace likely::testing {

struct LawRow {
  std::vector<double> inputs;  // the parameters, then x where there is one
  double value;
  double sensitivity32,
      sensitivity64;  // how far the value moves with the rounding of its inputs, in units of it
};

struct LawSection {
  std::string law, function;
  std::vector<LawRow> rows;
};

// tests/reference/data/laws.txt; tests run in the project's folder.
std::vector<LawSection> law_table();

}  // namespace likely::testing
