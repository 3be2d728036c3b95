#include "tests/support/plain_array.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace likely::testing::plain {

std::int64_t product(const Extents& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

Array::Array(const Extents& extents)
    : shape(extents), elements(static_cast<std::size_t>(product(extents)), Number(0)) {}

Array::Array(const Extents& extents, Numbers numbers) : shape(extents), elements(std::move(numbers)) {
  if (product(shape) != size()) throw std::logic_error("a plain array does not fill its shape");
}

std::int64_t Array::position(const Extents& index) const {
  if (index.size() != shape.size()) throw std::logic_error("an index of another rank");
  std::int64_t place = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (index[i] < 0 || index[i] >= shape[i]) throw std::logic_error("an index out of range");
    place = place * shape[i] + index[i];
  }
  return place;
}

void for_each_index(const Extents& shape, const std::function<void(const Extents&)>& body) {
  Extents index(shape.size(), 0);
  for (std::int64_t i = product(shape); i > 0; --i) {
    body(index);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
}

Extents broadcast(const Extents& a, const Extents& b) {
  Extents result(std::max(a.size(), b.size()));
  for (std::size_t i = 1; i <= result.size(); ++i) {
    const std::int64_t of_a = i <= a.size() ? a[a.size() - i] : 1;
    const std::int64_t of_b = i <= b.size() ? b[b.size() - i] : 1;
    result[result.size() - i] = of_a == 1 ? of_b : of_a;
  }
  return result;
}

Array expanded(const Array& x, const Extents& shape) {
  if (x.shape == shape) return x;
  const std::size_t extra = shape.size() - x.shape.size();
  return moved(x, shape, [&](const Extents& index) {
    Extents from(x.shape.size());
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = x.shape[i] == 1 ? 0 : index[i + extra];
    return from;
  });
}

Array map(const std::function<Number(const Number&)>& f, const Array& x) {
  Array y(x.shape);
  for (std::int64_t i = 0; i < x.size(); ++i) y[i] = f(x[i]);
  return y;
}

Array map(const std::function<Number(const Number&, const Number&)>& f, const Array& a, const Array& b) {
  Array y(broadcast(a.shape, b.shape));
  const Array whole_a = expanded(a, y.shape);
  const Array whole_b = expanded(b, y.shape);
  for (std::int64_t i = 0; i < y.size(); ++i) y[i] = f(whole_a[i], whole_b[i]);
  return y;
}

Array moved(const Array& x, const Extents& shape, const std::function<Extents(const Extents&)>& source) {
  Array y;
  y.shape = shape;
  for_each_index(shape, [&](const Extents& index) { y.elements.push_back(x.at(source(index))); });
  return y;
}

Array reshaped(const Array& x, const Extents& shape) { return Array(shape, x.elements); }

Array permuted(const Array& x, const std::vector<int>& order) {
  Extents shape;
  for (const int axis : order) shape.push_back(x.shape[static_cast<std::size_t>(axis)]);
  return moved(x, shape, [&](const Extents& index) {
    Extents from(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) from[static_cast<std::size_t>(order[i])] = index[i];
    return from;
  });
}

Array reduced(const std::function<Number(const Numbers&)>& f, const Array& x, const std::vector<int>& axes,
              bool keep) {
  std::vector<bool> drop(x.shape.size(), axes.empty());
  for (const int axis : axes) drop[static_cast<std::size_t>(axis < 0 ? axis + x.rank() : axis)] = true;
  Extents kept = x.shape;
  Extents shape;
  for (std::size_t i = 0; i < drop.size(); ++i) {
    if (drop[i]) kept[i] = 1;
    if (!drop[i] || keep) shape.push_back(kept[i]);
  }
  const Array place(kept);
  std::vector<Numbers> groups(static_cast<std::size_t>(place.size()));
  std::size_t next = 0;
  for_each_index(x.shape, [&](const Extents& index) {
    Extents to = index;
    for (std::size_t i = 0; i < drop.size(); ++i) to[i] = drop[i] ? 0 : to[i];
    groups[static_cast<std::size_t>(place.position(to))].push_back(x.elements[next++]);
  });
  Numbers results;
  for (const Numbers& group : groups) results.push_back(f(group));
  return Array(shape, std::move(results));
}

Array along(const std::function<Numbers(const Numbers&)>& f, const Array& x, int axis) {
  const auto which = static_cast<std::size_t>(axis < 0 ? axis + x.rank() : axis);
  const std::int64_t length = x.shape[which];
  const Extents front(x.shape.begin(), x.shape.begin() + static_cast<std::ptrdiff_t>(which));
  const Extents behind(x.shape.begin() + static_cast<std::ptrdiff_t>(which) + 1, x.shape.end());
  const std::int64_t outer = product(front);
  const std::int64_t inner = product(behind);
  Array y;
  y.shape = x.shape;
  if (outer * inner == 0) {
    // No line tells the length of its result: one of zeros does.
    y.shape[which] = static_cast<std::int64_t>(f(Numbers(static_cast<std::size_t>(length))).size());
    return y;
  }
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t i = 0; i < inner; ++i) {
      Numbers line;
      for (std::int64_t l = 0; l < length; ++l) line.push_back(x[(o * length + l) * inner + i]);
      const Numbers result = f(line);
      const auto longer = static_cast<std::int64_t>(result.size());
      y.shape[which] = longer;
      y.elements.resize(static_cast<std::size_t>(outer * longer * inner));
      for (std::int64_t l = 0; l < longer; ++l) {
        y[(o * longer + l) * inner + i] = result[static_cast<std::size_t>(l)];
      }
    }
  }
  return y;
}

Number sum(const Numbers& x) {
  Sum total;
  for (const Number& element : x) total.add(element);
  return total.total();
}

Number mean(const Numbers& x) { return sum(x) / Number(static_cast<Real>(x.size())); }

Number dot(const Numbers& a, const Numbers& b) {
  Sum total;
  for (std::size_t i = 0; i < a.size(); ++i) total.add_product(a[i], b[i]);
  return total.total();
}

Array matrix_product(const Array& a, const Array& b) {
  const Extents batch =
      broadcast(Extents(a.shape.begin(), a.shape.end() - 2), Extents(b.shape.begin(), b.shape.end() - 2));
  const std::int64_t m = a.shape[a.shape.size() - 2];
  const std::int64_t depth = a.shape.back();
  const std::int64_t n = b.shape.back();
  const auto with_matrix = [&](std::int64_t rows, std::int64_t columns) {
    Extents shape = batch;
    shape.push_back(rows);
    shape.push_back(columns);
    return shape;
  };
  const Array whole_a = expanded(a, with_matrix(m, depth));
  const Array whole_b = expanded(b, with_matrix(depth, n));
  Array c(with_matrix(m, n));
  for (std::int64_t p = 0; p < product(batch); ++p) {
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        Sum total;
        for (std::int64_t l = 0; l < depth; ++l) {
          total.add_product(whole_a[(p * m + i) * depth + l], whole_b[(p * depth + l) * n + j]);
        }
        c[(p * m + i) * n + j] = total.total();
      }
    }
  }
  return c;
}

Array transposed(const Array& x) {
  std::vector<int> order(x.shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return permuted(x, order);
}

}  // namespace likely::testing::plain
