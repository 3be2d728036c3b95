#include "likely/ops/einsum.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "likely/core/layer_error.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/einsum_indices.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"

namespace likely {

namespace {

using detail::Index;
using detail::Indices;

// A tensor and the index of each of its axes.
struct Term {
  Tensor value;
  Indices indices;
};

bool contains(const Indices& indices, Index index) {
  return std::ranges::find(indices, index) != indices.end();
}

int axis_of(const Term& term, Index index) {
  return static_cast<int>(std::ranges::find(term.indices, index) - term.indices.begin());
}

std::int64_t size_of_index(const Term& term, Index index) { return term.value.shape()[axis_of(term, index)]; }

// An index that stands twice in a term takes the diagonal of its two axes.
void take_diagonals(Term& term) {
  for (std::size_t i = 0; i < term.indices.size(); ++i) {
    for (std::size_t j = i + 1; j < term.indices.size(); ++j) {
      if (term.indices[i] != term.indices[j]) continue;
      const Index index = term.indices[i];
      term.value = diagonal(term.value, 0, static_cast<int>(i), static_cast<int>(j));
      term.indices.erase(term.indices.begin() + static_cast<std::ptrdiff_t>(j));
      term.indices.erase(term.indices.begin() + static_cast<std::ptrdiff_t>(i));
      term.indices.push_back(index);
      take_diagonals(term);
      return;
    }
  }
}

void sum_out(Term& term, const Indices& unwanted) {
  if (unwanted.empty()) return;
  std::vector<int> axes;
  for (const Index index : unwanted) axes.push_back(axis_of(term, index));
  term.value = sum(term.value, axes);
  std::erase_if(term.indices, [&](Index index) { return contains(unwanted, index); });
}

Tensor ordered(const Term& term, const Indices& order) {
  if (term.indices == order) return term.value;
  std::vector<int> axes;
  for (const Index index : order) axes.push_back(axis_of(term, index));
  return permute(term.value, axes);
}

Indices joined(const Indices& a, const Indices& b) {
  Indices result = a;
  result.insert(result.end(), b.begin(), b.end());
  return result;
}

// How the indices of a pair of terms are treated.
struct Roles {
  Indices batch;   // in both, kept
  Indices inner;   // in both, summed over
  Indices left;    // only in the first, kept
  Indices right;   // only in the second, kept
  Indices lost_a;  // only in the first, summed over
  Indices lost_b;  // only in the second, summed over

  Roles(const Term& a, const Term& b, const Indices& kept) {
    for (const Index index : a.indices) {
      const bool keep = contains(kept, index);
      if (contains(b.indices, index)) {
        (keep ? batch : inner).push_back(index);
      } else {
        (keep ? left : lost_a).push_back(index);
      }
    }
    for (const Index index : b.indices) {
      if (!contains(a.indices, index)) (contains(kept, index) ? right : lost_b).push_back(index);
    }
  }
  Indices result() const { return joined(joined(batch, left), right); }
};

Shape sizes_of(const Term& term, const Indices& indices) {
  Shape shape;
  for (const Index index : indices) shape.push_back(size_of_index(term, index));
  return shape;
}

Shape joined(Shape shape, const Shape& more) {
  for (const std::int64_t size : more) shape.push_back(size);
  return shape;
}

// a[batch, left] b[batch, right], element by element.
Tensor multiply_all(const Term& a, const Term& b, const Roles& roles) {
  const Shape batch = sizes_of(a, roles.batch);
  const Shape left = sizes_of(a, roles.left);
  const Shape right = sizes_of(b, roles.right);
  const Tensor first = reshape(ordered(a, joined(roles.batch, roles.left)),
                               joined(joined(batch, left), Shape::filled(right.rank(), 1)));
  const Tensor second = reshape(ordered(b, joined(roles.batch, roles.right)),
                                joined(joined(batch, Shape::filled(left.rank(), 1)), right));
  return first * second;
}

// sum over inner of a[batch, left, inner] b[batch, inner, right].
Tensor multiply_matrices(const Term& a, const Term& b, const Roles& roles) {
  const Shape batch = sizes_of(a, roles.batch);
  const Shape left = sizes_of(a, roles.left);
  const Shape right = sizes_of(b, roles.right);
  const std::int64_t inner = sizes_of(a, roles.inner).size();
  const Tensor first = reshape(ordered(a, joined(joined(roles.batch, roles.left), roles.inner)),
                               joined(batch, {left.size(), inner}));
  const Tensor second = reshape(ordered(b, joined(joined(roles.batch, roles.inner), roles.right)),
                                joined(batch, {inner, right.size()}));
  return reshape(matmul(first, second), joined(joined(batch, left), right));
}

Term contract(Term a, Term b, const Indices& kept) {
  const Roles roles(a, b, kept);
  sum_out(a, roles.lost_a);
  sum_out(b, roles.lost_b);
  if (roles.inner.empty()) return {multiply_all(a, b, roles), roles.result()};
  if (roles.left.empty() && roles.right.empty() && !roles.batch.empty()) {
    // Many scalar products: no work for a matrix product.
    Term product{a.value * ordered(b, a.indices), a.indices};
    sum_out(product, roles.inner);
    return product;
  }
  return {multiply_matrices(a, b, roles), roles.result()};
}

// The indices that the result or any term but these two needs.
Indices needed(const std::vector<Term>& terms, std::size_t a, std::size_t b, const Indices& result) {
  Indices kept = result;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (i != a && i != b) kept = joined(kept, terms[i].indices);
  }
  return kept;
}

// The pair whose contraction shrinks the memory most.
std::pair<std::size_t, std::size_t> best_pair(const std::vector<Term>& terms, const Indices& result) {
  std::pair<std::size_t, std::size_t> best{0, 1};
  double least = 0.0;
  for (std::size_t i = 0; i < terms.size() && terms.size() > 2; ++i) {
    for (std::size_t j = i + 1; j < terms.size(); ++j) {
      const Roles roles(terms[i], terms[j], needed(terms, i, j, result));
      double growth = static_cast<double>(sizes_of(terms[i], joined(roles.batch, roles.left)).size()) *
                      static_cast<double>(sizes_of(terms[j], roles.right).size());
      growth -= static_cast<double>(terms[i].value.size()) + static_cast<double>(terms[j].value.size());
      if ((i == 0 && j == 1) || growth < least) {
        least = growth;
        best = {i, j};
      }
    }
  }
  return best;
}

// Checks the sizes, and drops broadcast axes of size 1 where another operand repeats them.
void settle_sizes(const std::string& text, std::vector<Term>& terms) {
  std::map<Index, std::pair<std::int64_t, std::size_t>> sizes;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    for (std::size_t axis = 0; axis < terms[i].indices.size(); ++axis) {
      const Index index = terms[i].indices[axis];
      const std::int64_t size = terms[i].value.shape()[static_cast<int>(axis)];
      const auto [known, is_new] = sizes.try_emplace(index, size, i);
      const std::int64_t other = known->second.first;
      if (is_new || other == size) continue;
      if (!detail::broadcasts(index) || (size != 1 && other != 1)) {
        refuse("einsum", text + ": " + detail::describe(index) + " has size " + std::to_string(other) +
                             " in operand " + std::to_string(known->second.second) + " and " +
                             std::to_string(size) + " in operand " + std::to_string(i));
      }
      if (other == 1) known->second = {size, i};
    }
  }
  for (Term& term : terms) {
    for (int axis = term.value.rank() - 1; axis >= 0; --axis) {
      const Index index = term.indices[static_cast<std::size_t>(axis)];
      if (term.value.shape()[axis] == 1 && sizes.at(index).first != 1) {
        term.value = squeeze(term.value, axis);
        term.indices.erase(term.indices.begin() + axis);
      }
    }
  }
}

}  // namespace

Tensor einsum(std::string_view indices, const std::vector<Tensor>& operands) {
  const std::string text = '"' + std::string(indices) + '"';
  std::vector<int> ranks;
  for (const Tensor& operand : operands) ranks.push_back(operand.rank());
  const detail::EinsumIndices parsed =
      concerning(operands, [&] { return detail::parse_einsum(indices, ranks); });
  std::vector<Term> terms;
  for (std::size_t i = 0; i < operands.size(); ++i) terms.push_back({operands[i], parsed.operands[i]});
  concerning(operands, [&] { settle_sizes(text, terms); });
  for (Term& term : terms) take_diagonals(term);
  while (terms.size() > 1) {
    const auto [i, j] = best_pair(terms, parsed.result);
    Term product = contract(terms[i], terms[j], needed(terms, i, j, parsed.result));
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(j));
    terms[i] = std::move(product);
  }
  Term& last = terms.front();
  Indices unwanted;
  for (const Index index : last.indices) {
    if (!contains(parsed.result, index)) unwanted.push_back(index);
  }
  sum_out(last, unwanted);
  return ordered(last, parsed.result);
}

}  // namespace likely
