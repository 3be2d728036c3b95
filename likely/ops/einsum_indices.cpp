#include "likely/ops/einsum_indices.hpp"

#include <algorithm>
#include <map>

#include "likely/core/error.hpp"

namespace likely::detail {

namespace {

constexpr Index kEllipsis = -1;  // as read, before it is known how many axes it stands for

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  // Letters and at most one ellipsis, up to a comma, an arrow or the end.
  Indices term() {
    Indices result;
    for (skip_spaces(); at_ < text_.size() && text_[at_] != ',' && text_[at_] != '-'; skip_spaces()) {
      const char c = text_[at_];
      if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
        result.push_back(c);
        ++at_;
      } else if (text_.substr(at_).starts_with("...")) {
        if (std::ranges::find(result, kEllipsis) != result.end()) fail("'...' stands twice in one term");
        result.push_back(kEllipsis);
        at_ += 3;
      } else {
        fail(std::string("unexpected '") + c + "' at position " + std::to_string(at_));
      }
    }
    return result;
  }

  bool comma() {
    if (at_ == text_.size() || text_[at_] != ',') return false;
    ++at_;
    return true;
  }

  bool arrow() {
    if (at_ == text_.size()) return false;
    if (!text_.substr(at_).starts_with("->")) {
      fail(std::string("unexpected '") + text_[at_] + "' at position " + std::to_string(at_));
    }
    at_ += 2;
    return true;
  }

  void end() const {
    if (at_ < text_.size()) {
      fail(std::string("unexpected '") + text_[at_] + "' at position " + std::to_string(at_));
    }
  }

  [[noreturn]] void fail(const std::string& why) const {
    refuse("einsum", '"' + std::string(text_) + "\": " + why);
  }

 private:
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// Puts `count` broadcast axes in the place of the ellipsis.
Indices with_axes(const Indices& term, int count) {
  Indices result;
  for (const Index index : term) {
    if (index != kEllipsis) {
      result.push_back(index);
    } else {
      for (int i = count - 1; i >= 0; --i) result.push_back(kBroadcast + i);
    }
  }
  return result;
}

Indices implied_result(const std::vector<Indices>& operands, int broadcast) {
  std::map<Index, int> occurrences;
  for (const Indices& operand : operands) {
    for (const Index index : operand) ++occurrences[index];
  }
  Indices result;
  for (int i = broadcast - 1; i >= 0; --i) result.push_back(kBroadcast + i);
  for (const auto& [index, count] : occurrences) {
    if (count == 1 && !broadcasts(index)) result.push_back(index);
  }
  return result;
}

void check_result(const Reader& reader, const Indices& result, const std::vector<Indices>& operands) {
  for (auto place = result.begin(); place != result.end(); ++place) {
    if (std::find(result.begin(), place, *place) != place) {
      reader.fail("the result names " + describe(*place) + " twice");
    }
    const bool known = std::ranges::any_of(operands, [&](const Indices& operand) {
      return std::ranges::find(operand, *place) != operand.end();
    });
    if (!known) reader.fail("the result names " + describe(*place) + ", which no operand has");
  }
}

}  // namespace

std::string describe(Index index) {
  if (broadcasts(index)) return "an axis of '...'";
  return std::string("index '") + static_cast<char>(index) + "'";
}

EinsumIndices parse_einsum(std::string_view text, const std::vector<int>& ranks) {
  Reader reader(text);
  EinsumIndices parsed;
  do {
    parsed.operands.push_back(reader.term());
  } while (reader.comma());
  if (parsed.operands.size() != ranks.size()) {
    reader.fail(std::to_string(parsed.operands.size()) + " operands are named, " +
                std::to_string(ranks.size()) + " given");
  }
  int broadcast = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    Indices& operand = parsed.operands[i];
    const bool open = std::ranges::find(operand, kEllipsis) != operand.end();
    const int named = static_cast<int>(operand.size()) - (open ? 1 : 0);
    if (open ? named > ranks[i] : named != ranks[i]) {
      reader.fail("operand " + std::to_string(i) + " has " + std::to_string(ranks[i]) + " dimensions, " +
                  std::to_string(named) + " are named");
    }
    operand = with_axes(operand, ranks[i] - named);
    broadcast = std::max(broadcast, open ? ranks[i] - named : 0);
  }
  if (!reader.arrow()) {
    parsed.result = implied_result(parsed.operands, broadcast);
    return parsed;
  }
  const Indices result = reader.term();
  reader.end();
  if (broadcast > 0 && std::ranges::find(result, kEllipsis) == result.end()) {
    reader.fail("the result must name '...', as the operands do");
  }
  parsed.result = with_axes(result, broadcast);
  check_result(reader, parsed.result, parsed.operands);
  return parsed;
}

}  // namespace likely::detail
