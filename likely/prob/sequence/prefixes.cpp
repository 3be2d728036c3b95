#include "likely/prob/sequence/prefixes.hpp"

#include <algorithm>

#include "likely/core/create.hpp"

namespace likely::detail {

std::int64_t Prefixes::length(std::int64_t prefix) const {
  std::int64_t length = 0;
  for (; prefix != kEmpty; prefix = parents_[static_cast<std::size_t>(prefix)]) ++length;
  return length;
}

Prefixes::Padded Prefixes::padded(const std::vector<std::int64_t>& prefixes, std::int64_t starts) const {
  std::vector<std::int64_t> lengths;
  for (const std::int64_t prefix : prefixes) lengths.push_back(length(prefix));
  const std::int64_t longest = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  const std::int64_t count = std::ssize(prefixes) / std::max<std::int64_t>(starts, 1);
  Tensor tokens = full({starts, count, longest}, -1.0, DType::i64);
  auto* out = tokens.mutable_data<std::int64_t>();
  for (std::size_t i = 0; i < prefixes.size(); ++i) {
    std::int64_t place = static_cast<std::int64_t>(i) * longest + lengths[i];
    for (std::int64_t at = prefixes[i]; at != kEmpty; at = parents_[static_cast<std::size_t>(at)])
      out[--place] = tokens_[static_cast<std::size_t>(at)];
  }
  return {tokens, tensor(lengths, Shape{starts, count})};
}

}  // namespace likely::detail
