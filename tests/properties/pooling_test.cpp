#include "likely/ops/pooling.hpp"

#include <algorithm>
#include <cmath>

#include "likely/ops/upsample.hpp"
#include "tests/properties/elementwise.hpp"
#include "tests/properties/families.hpp"
#include "tests/support/plain_windows.hpp"

namespace likely::testing {

namespace {

using plain::Array;
using plain::as_lines;
using plain::as_planes;
using plain::Extents;
using plain::Number;
using plain::Real;

// x may have any axes before the plane.
Op pool_op(const std::string& name, const std::string& declared, std::function<Tensor(const Tensor&)> call,
           std::function<Array(const Array&)> loop, const std::string& axes = "nchw") {
  return {.name = name,
          .declares = {declared},
          .inputs = {apart(axes)},
          .sizes = {"n=2 c=3 h=7 w=9", "n=1 c=2 h=14 w=63", "n=3 c=5 h=33 w=42"},
          .call = [call = std::move(call)](const Tensors& x) { return call(x[0]); },
          .loop = [loop = std::move(loop)](const Arrays& x) { return loop(x[0]); },
          .same_bits = true};
}

struct Pool {
  std::int64_t kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w;
  plain::Windows rows(const Array& x) const {
    return plain::sliding(x.shape[x.shape.size() - 2], kernel_h, stride_h, pad_h);
  }
  plain::Windows columns(const Array& x) const {
    return plain::sliding(x.shape.back(), kernel_w, stride_w, pad_w);
  }
};

void add_max_pools(Ops& ops) {
  for (const auto& [name, p] : {std::pair<std::string, Pool>{"2x2", {2, 2, 2, 2, 0, 0}},
                                {"3x2, steps of 2 and 1", {3, 2, 2, 1, 1, 0}}}) {
    const Pool2dOptions options{.stride = {p.stride_h, p.stride_w}, .padding = {p.pad_h, p.pad_w}};
    const Extent2d kernel(p.kernel_h, p.kernel_w);
    const Pool pool = p;
    const auto values = [pool](const Array& x) {
      return plain::largest(x, pool.rows(x), pool.columns(x), false);
    };
    ops.push_back(pool_op(
        "max_pool2d of " + name, "max_pool2d(Tensor, Extent2d, Pool2dOptions)",
        [=](const Tensor& x) { return max_pool2d(x, kernel, options); }, values));
    const std::string both = "max_pool2d_with_indices(Tensor, Extent2d, Pool2dOptions)";
    ops.push_back(pool_op(
        "max_pool2d_with_indices of " + name + ", values", both,
        [=](const Tensor& x) { return max_pool2d_with_indices(x, kernel, options).values; }, values));
    ops.push_back(
        with(pool_op(
                 "max_pool2d_with_indices of " + name + ", indices", both,
                 [=](const Tensor& x) { return max_pool2d_with_indices(x, kernel, options).indices; },
                 [pool](const Array& x) { return plain::largest(x, pool.rows(x), pool.columns(x), true); }),
             [](Op& op) { op.result = ResultType::i64; }));
  }
  const Pool line{1, 3, 1, 2, 0, 1};
  const auto plain_line = [line](const Array& x, bool places) {
    return as_lines(plain::largest(as_planes(x), line.rows(as_planes(x)), line.columns(x), places));
  };
  const Pool1dOptions options{.stride = 2, .padding = 1};
  ops.push_back(pool_op(
      "max_pool1d", "max_pool1d(Tensor, int64_t, Pool1dOptions)",
      [=](const Tensor& x) { return max_pool1d(x, 3, options); },
      [=](const Array& x) { return plain_line(x, false); }, "ncw"));
  ops.push_back(pool_op(
      "max_pool1d_with_indices, values", "max_pool1d_with_indices(Tensor, int64_t, Pool1dOptions)",
      [=](const Tensor& x) { return max_pool1d_with_indices(x, 3, options).values; },
      [=](const Array& x) { return plain_line(x, false); }, "ncw"));
  ops.push_back(
      with(pool_op(
               "max_pool1d_with_indices, indices", "max_pool1d_with_indices(Tensor, int64_t, Pool1dOptions)",
               [=](const Tensor& x) { return max_pool1d_with_indices(x, 3, options).indices; },
               [=](const Array& x) { return plain_line(x, true); }, "ncw"),
           [](Op& op) { op.result = ResultType::i64; }));
  ops.push_back({.name = "max_unpool2d",
                 .declares = {"max_unpool2d(Tensor, Tensor, Extent2d)"},
                 .inputs = {{.axes = "nchw"}, labels("nchw", 'p')},
                 .sizes = {"n=2 c=3 h=4 w=5 p=42"},
                 .call =
                     [](const Tensors& t) {
                       return max_unpool2d(t[0], t[1], {6, 7});
                     },
                 .loop =
                     [](const Arrays& t) {
                       Array y({t[0].shape[0], t[0].shape[1], 6, 7});
                       const std::int64_t plane = t[0].shape[2] * t[0].shape[3];
                       for (std::int64_t i = 0; i < t[0].size(); ++i) {
                         Number& to = y[i / plane * 42 + static_cast<std::int64_t>(t[1][i].value)];
                         to = to + t[0][i];
                       }
                       return y;
                     }});
}

void add_average_pools(Ops& ops) {
  const Pool p{3, 2, 2, 1, 1, 1};
  for (const bool padding : {true, false}) {
    const AveragePool2dOptions options{.stride = {2, 1}, .padding = {1, 1}, .count_padding = padding};
    ops.push_back(pool_op(
        std::string("avg_pool2d") + (padding ? "" : " without padding"),
        "avg_pool2d(Tensor, Extent2d, AveragePool2dOptions)",
        [=](const Tensor& x) {
          return avg_pool2d(x, {3, 2}, options);
        },
        [=](const Array& x) { return plain::average(x, p.rows(x), p.columns(x), padding ? 6 : 0); }));
  }
  const Pool plain_2x2{2, 2, 2, 2, 0, 0};
  ops.push_back(pool_op(
      "avg_pool2d of 2x2", "avg_pool2d(Tensor, Extent2d, AveragePool2dOptions)",
      [](const Tensor& x) { return avg_pool2d(x, 2); },
      [=](const Array& x) { return plain::average(x, plain_2x2.rows(x), plain_2x2.columns(x), 4); }));
  const Pool line{1, 3, 1, 2, 0, 1};
  ops.push_back(pool_op(
      "avg_pool1d", "avg_pool1d(Tensor, int64_t, AveragePool1dOptions)",
      [](const Tensor& x) { return avg_pool1d(x, 3, {.stride = 2, .padding = 1}); },
      [line](const Array& x) {
        return as_lines(plain::average(as_planes(x), line.rows(as_planes(x)), line.columns(x), 3));
      },
      "ncw"));
}

void add_adaptive_pools(Ops& ops) {
  for (const bool largest : {true, false}) {
    const std::string name = largest ? "adaptive_max_pool" : "adaptive_avg_pool";
    const auto loop = [largest](const Array& x, std::int64_t rows, std::int64_t columns) {
      const plain::Windows down = plain::adaptive(x.shape[x.shape.size() - 2], rows);
      const plain::Windows across = plain::adaptive(x.shape.back(), columns);
      return largest ? plain::largest(x, down, across, false) : plain::average(x, down, across, 0);
    };
    ops.push_back(pool_op(
        name + "2d", name + "2d(Tensor, Extent2d)",
        [largest](const Tensor& x) {
          return largest ? adaptive_max_pool2d(x, {3, 4}) : adaptive_avg_pool2d(x, {3, 4});
        },
        [loop](const Array& x) { return loop(x, 3, 4); }));
    ops.push_back(pool_op(
        name + "1d", name + "1d(Tensor, int64_t)",
        [largest](const Tensor& x) {
          return largest ? adaptive_max_pool1d(x, 4) : adaptive_avg_pool1d(x, 4);
        },
        [loop](const Array& x) { return as_lines(loop(as_planes(x), 1, 4)); }, "ncw"));
  }
}

// Result sizes and steps along one axis: {count, step}.
struct Grid {
  std::int64_t count;
  Real step;
};
Grid grid(std::int64_t size, double scale, std::int64_t wanted) {
  if (size < 1) throw plain::Refused();
  if (wanted > 0) return {wanted, static_cast<Real>(size) / static_cast<Real>(wanted)};
  const auto count = static_cast<std::int64_t>(std::floor(static_cast<double>(size) * scale));
  if (count < 1) throw plain::Refused();
  return {count, 1 / static_cast<Real>(scale)};
}

Array nearest(const Array& x, const Grid& rows, const Grid& columns) {
  Extents shape = x.shape;
  const std::size_t last = shape.size() - 1;
  shape[last - 1] = rows.count;
  shape[last] = columns.count;
  const auto place = [](std::int64_t i, const Grid& g, std::int64_t size) {
    return std::min(size - 1, static_cast<std::int64_t>(std::floor(static_cast<Real>(i) * g.step)));
  };
  return plain::moved(x, shape, [&](Extents at) {
    at[last - 1] = place(at[last - 1], rows, x.shape[last - 1]);
    at[last] = place(at[last], columns, x.shape[last]);
    return at;
  });
}

Array bilinear(const Array& x, const Grid& rows, const Grid& columns) {
  Extents shape = x.shape;
  const std::size_t last = shape.size() - 1;
  shape[last - 1] = rows.count;
  shape[last] = columns.count;
  struct Place {
    std::int64_t first, second;
    Real share;      // of the second
    double rounded;  // what rounding s does to the share
  };
  const auto place = [](std::int64_t i, const Grid& g, std::int64_t size) {
    const Real s = std::max<Real>(0, (static_cast<Real>(i) + 0.5L) * g.step - 0.5L);
    const std::int64_t first = std::min(size - 1, static_cast<std::int64_t>(std::floor(s)));
    return Place{first, std::min(size - 1, first + 1), s - std::floor(s), static_cast<double>(s) + 1};
  };
  Array y;
  y.shape = shape;
  plain::for_each_index(shape, [&](const Extents& at) {
    const Place down = place(at[last - 1], rows, x.shape[last - 1]);
    const Place across = place(at[last], columns, x.shape[last]);
    plain::Sum total;
    for (const auto& [row, of_row] : {std::pair{down.first, 1 - down.share}, {down.second, down.share}}) {
      for (const auto& [column, of_column] :
           {std::pair{across.first, 1 - across.share}, {across.second, across.share}}) {
        Extents from = at;
        from[last - 1] = row;
        from[last] = column;
        Number weight(of_row * of_column);
        weight.wobble = down.rounded + across.rounded;
        total.add_product(x.at(from), weight);
      }
    }
    y.elements.push_back(total.total());
  });
  return y;
}

void add_upsampling(Ops& ops) {
  const std::string nearest_name = "upsample_nearest(Tensor, UpsampleOptions)";
  const std::string bilinear_name = "upsample_bilinear(Tensor, UpsampleOptions)";
  const auto plane = [](const Array& x) { return x.shape.size() - 2; };
  ops.push_back(pool_op(
      "upsample_nearest by 2 and 1.5", nearest_name,
      [](const Tensor& x) {
        return upsample_nearest(x, {.scale = {2.0, 1.5}});
      },
      [=](const Array& x) {
        return nearest(x, grid(x.shape[plane(x)], 2.0, 0), grid(x.shape.back(), 1.5, 0));
      }));
  ops.push_back(pool_op(
      "upsample_nearest to 5x4", nearest_name,
      [](const Tensor& x) {
        return upsample_nearest(x, {.size = {5, 4}});
      },
      [=](const Array& x) { return nearest(x, grid(x.shape[plane(x)], 0, 5), grid(x.shape.back(), 0, 4)); }));
  ops.push_back(pool_op(
      "upsample_bilinear by 2 and 1.5", bilinear_name,
      [](const Tensor& x) {
        return upsample_bilinear(x, {.scale = {2.0, 1.5}});
      },
      [=](const Array& x) {
        return bilinear(x, grid(x.shape[plane(x)], 2.0, 0), grid(x.shape.back(), 1.5, 0));
      }));
  ops.push_back(pool_op(
      "upsample_bilinear to 5x4", bilinear_name,
      [](const Tensor& x) {
        return upsample_bilinear(x, {.size = {5, 4}});
      },
      [=](const Array& x) {
        return bilinear(x, grid(x.shape[plane(x)], 0, 5), grid(x.shape.back(), 0, 4));
      }));
  for (Op& op : ops) {
    if (op.name.starts_with("upsample")) op.sizes = {"n=2 c=3 h=7 w=9", "n=2 c=3 h=14 w=33"};
  }
}

}  // namespace

Ops pooling_ops() {
  Ops ops;
  add_max_pools(ops);
  add_average_pools(ops);
  add_adaptive_pools(ops);
  add_upsampling(ops);
  return ops;
}

INSTANTIATE_TEST_SUITE_P(Pooling, OpProperties, ::testing::ValuesIn(pooling_ops()), name_of_op);

}  // namespace likely::testing
