// The prefixes of a search: a tree in which each token is kept once. Internal to prob/sequence/.
#pragma once

#include <cstdint>
#include <vector>

#include "likely/core/tensor.hpp"

namespace likely::detail {

class Prefixes {
 public:
  static constexpr std::int64_t kEmpty = -1;

  // The prefix that has one token more.
  std::int64_t extend(std::int64_t prefix, std::int64_t token) {
    parents_.push_back(prefix);
    tokens_.push_back(token);
    return std::ssize(parents_) - 1;
  }
  std::int64_t length(std::int64_t prefix) const;

  struct Padded {
    Tensor tokens;   // (starts, count, longest) i64, padded with -1
    Tensor lengths;  // (starts, count) i64
  };
  // starts * count prefixes.
  Padded padded(const std::vector<std::int64_t>& prefixes, std::int64_t starts) const;

 private:
  std::vector<std::int64_t> parents_, tokens_;
};

}  // namespace likely::detail
