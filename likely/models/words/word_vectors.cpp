#include "likely/models/words/word_vectors.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "likely/core/error.hpp"
#include "likely/core/printable.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"

namespace likely::words {

namespace {

std::string in_small_letters(std::string_view word) {
  std::string small(word);
  for (char& c : small) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return small;
}

std::int64_t required(const char* operation, const WordVectors& vectors, std::string_view word) {
  const std::optional<std::int64_t> number = vectors.find(word);
  if (!number)
    refuse(operation, fmt::format("no vector is called \"{}\"; {} words have one", printable_line(word),
                                  vectors.size()));
  return *number;
}

std::vector<Neighbour> nearest_to(const WordVectors& vectors, const Tensor& directions, const Tensor& target,
                                  std::vector<std::int64_t> without, std::int64_t count) {
  const Tensor cosines = matmul(directions, target / maximum(sqrt(sum(target * target)), 1e-30));
  const float* const near = cosines.data<float>();
  std::vector<std::int64_t> order;
  for (std::int64_t i = 0; i < vectors.size(); ++i) {
    if (std::find(without.begin(), without.end(), i) == without.end()) order.push_back(i);
  }
  const auto kept = std::min(order.size(), static_cast<std::size_t>(count));
  const auto closer = [&](std::int64_t a, std::int64_t b) {
    return near[a] != near[b] ? near[a] > near[b] : a < b;
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(), closer);
  std::vector<Neighbour> found;
  for (std::size_t i = 0; i < kept; ++i)
    found.push_back({std::string(vectors.words[static_cast<std::uint32_t>(order[i])]), near[order[i]]});
  return found;
}

void check_count(const char* operation, std::int64_t count) {
  if (count < 1) refuse(operation, fmt::format("the number of words must be at least 1, got {}", count));
}

}  // namespace

std::optional<std::int64_t> WordVectors::find(std::string_view word) const {
  std::uint32_t number = words.find(word);
  if (number == WordTable::kNone) number = words.find(in_small_letters(word));
  if (number == WordTable::kNone) return std::nullopt;
  return number;
}

Tensor WordVectors::directions() const {
  // The largest first, so that no square overflows.
  const Tensor scaled = matrix / maximum(max(abs(matrix), {1}, true), 1e-37);
  return scaled / maximum(sqrt(sum(scaled * scaled, {1}, true)), 1e-30);
}

std::vector<Neighbour> nearest(const WordVectors& vectors, std::string_view word, std::int64_t count) {
  check_count("nearest", count);
  const std::int64_t number = required("nearest", vectors, word);
  const Tensor directions = vectors.directions();
  return nearest_to(vectors, directions, directions[number], {number}, count);
}

std::vector<Neighbour> analogy(const WordVectors& vectors, std::string_view a, std::string_view b,
                               std::string_view c, std::int64_t count) {
  check_count("analogy", count);
  const std::int64_t first = required("analogy", vectors, a), second = required("analogy", vectors, b),
                     third = required("analogy", vectors, c);
  const Tensor directions = vectors.directions();
  return nearest_to(vectors, directions, directions[second] - directions[first] + directions[third],
                    {first, second, third}, count);
}

}  // namespace likely::words
