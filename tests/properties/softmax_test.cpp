#include "likely/ops/softmax.hpp"

#include <algorithm>
#include <cmath>

#include "likely/ops/loss.hpp"
#include "tests/properties/elementwise.hpp"
#include "tests/properties/families.hpp"

namespace likely::testing {

namespace {

using plain::Array;
using plain::Extents;
using plain::Number;
using plain::Numbers;
using plain::Real;

Number log_sum_exp(const Numbers& x) {
  if (x.empty()) throw plain::Refused();
  Real largest = x[0].value;
  for (const Number& element : x) largest = std::max(largest, element.value);
  plain::Sum total;
  for (const Number& element : x) total.add(exp(element - Number(largest)));
  return Number(largest) + log(total.total());
}

Numbers log_softmax_of(const Numbers& x) {
  const Number total = log_sum_exp(x);
  Numbers result;
  for (const Number& element : x) result.push_back(element - total);
  return result;
}

Numbers softmax_of(const Numbers& x) {
  if (x.empty()) throw plain::Refused();
  Real largest = x[0].value;
  for (const Number& element : x) largest = std::max(largest, element.value);
  Numbers parts;
  for (const Number& element : x) parts.push_back(exp(element - Number(largest)));
  const Number total = plain::sum(parts);
  for (Number& part : parts) part = part / total;
  return parts;
}

// f of the rows of two arrays of the same shape.
Array of_rows(const Array& a, const Array& b,
              const std::function<Numbers(const Numbers&, const Numbers&)>& f) {
  const std::int64_t length = a.shape.back();
  Array y;
  y.shape = a.shape;
  for (std::int64_t row = 0; length > 0 && row < a.size() / length; ++row) {
    const auto part = [&](const Array& x) {
      return Numbers(x.elements.begin() + row * length, x.elements.begin() + (row + 1) * length);
    };
    for (const Number& element : f(part(a), part(b))) y.elements.push_back(element);
  }
  return y;
}

// Short rows, rows beside a vector, rows longer than a block; many rows.
Op row_op(const std::string& name, int axis, std::function<Tensor(const Tensor&)> call,
          std::function<Numbers(const Numbers&)> loop) {
  return {.name = name + " along axis " + std::to_string(axis),
          .declares = {name + "(Tensor, int)"},
          .inputs = {{.axes = "abc", .low = -4.0, .high = 4.0}},
          .sizes = {"a=3 b=7 c=5", "a=2 b=67 c=17", "a=1 b=2 c=4101", "a=33 b=2 c=3"},
          .call = [call = std::move(call)](const Tensors& x) { return call(x[0]); },
          .loop =
              [loop = std::move(loop), axis](const Arrays& x) {
                if (x[0].shape[static_cast<std::size_t>(axis < 0 ? axis + 3 : axis)] == 0)
                  throw plain::Refused();
                return plain::along(loop, x[0], axis);
              },
          .gradient_slack = 32};
}

Op gradient_op(const std::string& name, Binary call,
               const std::function<Numbers(const Numbers&, const Numbers&)>& loop) {
  return {.name = name,
          .declares = {name + "(Tensor, Tensor)"},
          .inputs = {{.axes = "ab", .low = -2.0, .high = 0.0}, {.axes = "ab"}},
          .sizes = {"a=7 b=13", "a=67 b=17", "a=2 b=4101"},
          .call = [call](const Tensors& x) { return call(x[0], x[1]); },
          .loop = [loop](const Arrays& x) { return of_rows(x[0], x[1], loop); },
          .gradient_slack = 32};
}

Array reduced_loss(const Array& losses, Reduction reduction) {
  if (reduction == Reduction::none) return losses;
  if (reduction == Reduction::mean && losses.size() == 0) throw plain::Refused();
  return Array({},
               {reduction == Reduction::sum ? plain::sum(losses.elements) : plain::mean(losses.elements)});
}

std::string name_of(Reduction reduction) {
  return reduction == Reduction::mean ? "mean" : reduction == Reduction::sum ? "sum" : "none";
}

void add_losses(Ops& ops) {
  for (const Reduction reduction : {Reduction::mean, Reduction::sum, Reduction::none}) {
    const LossOptions options{.reduction = reduction};
    const std::vector<std::string> sizes = {"r=3 s=7 c=5", "r=2 s=67 c=3", "r=1 s=5 c=33", "r=1 s=2 c=4101"};
    const std::string declared = "softmax_cross_entropy(Tensor, Tensor, LossOptions)";
    ops.push_back({.name = "softmax_cross_entropy of labels, " + name_of(reduction),
                   .declares = {declared},
                   .inputs = {{.axes = "rsc", .low = -4.0, .high = 4.0}, labels("rs", 'c')},
                   .sizes = sizes,
                   .call = [=](const Tensors& x) { return softmax_cross_entropy(x[0], x[1], options); },
                   .loop =
                       [=](const Arrays& x) {
                         const std::int64_t classes = x[0].shape[2];
                         if (classes == 0) throw plain::Refused();
                         Array losses({x[0].shape[0], x[0].shape[1]});
                         for (std::int64_t row = 0; row < losses.size(); ++row) {
                           const auto first = x[0].elements.begin() + row * classes;
                           const Numbers logits(first, first + classes);
                           losses[row] =
                               log_sum_exp(logits) - logits[static_cast<std::size_t>(x[1][row].value)];
                         }
                         return reduced_loss(losses, reduction);
                       },
                   .slack = 16,
                   .gradient_slack = 32});
    ops.push_back(
        {.name = "softmax_cross_entropy of weights, " + name_of(reduction),
         .declares = {declared},
         .inputs = {{.axes = "rsc", .low = -4.0, .high = 4.0}, {.axes = "rsc", .low = 0.0, .high = 1.0}},
         .sizes = sizes,
         .call = [=](const Tensors& x) { return softmax_cross_entropy(x[0], x[1], options); },
         .loop =
             [=](const Arrays& x) {
               const std::int64_t classes = x[0].shape[2];
               if (classes == 0) throw plain::Refused();
               Array losses({x[0].shape[0], x[0].shape[1]});
               for (std::int64_t row = 0; row < losses.size(); ++row) {
                 const auto first = x[0].elements.begin() + row * classes;
                 const Numbers logs = log_softmax_of(Numbers(first, first + classes));
                 plain::Sum total;
                 for (std::int64_t i = 0; i < classes; ++i) {
                   total.add_product(-x[1][row * classes + i], logs[static_cast<std::size_t>(i)]);
                 }
                 losses[row] = total.total();
               }
               return reduced_loss(losses, reduction);
             },
         .slack = 16,
         .gradient_slack = 32});
    ops.push_back(
        {.name = "binary_cross_entropy_from_logits, " + name_of(reduction),
         .declares = {"binary_cross_entropy_from_logits(Tensor, Tensor, LossOptions)"},
         .inputs = {{.axes = "ab", .low = -4.0, .high = 4.0}, {.axes = "ab", .low = 0.0, .high = 1.0}},
         .sizes = {"a=7 b=13", "a=37 b=131"},
         .call = [=](const Tensors& x) { return binary_cross_entropy_from_logits(x[0], x[1], options); },
         .loop =
             [=](const Arrays& x) {
               const auto softplus = [](Real v) {
                 return v > 0 ? v + std::log1p(std::exp(-v)) : std::log1p(std::exp(v));
               };
               return reduced_loss(plain::map(
                                       [&](const Number& logit, const Number& target) {
                                         return plain::apply(softplus, logit) - target * logit;
                                       },
                                       x[0], x[1]),
                                   reduction);
             },
         .slack = 16,
         .gradient_slack = 32});
    const auto of_errors = [&](const std::string& name, const std::string& covers,
                               std::function<Tensor(const Tensor&, const Tensor&)> call,
                               std::function<Number(const Number&)> of) {
      ops.push_back(
          {.name = name + ", " + name_of(reduction),
           .declares = {covers},
           .inputs = {apart("ab"), {.axes = "ab", .low = 3.0, .high = 5.0}},
           .sizes = {"a=7 b=13", "a=37 b=131"},
           .call = [=](const Tensors& x) { return call(x[0], x[1]); },
           .loop =
               [=](const Arrays& x) {
                 return reduced_loss(
                     plain::map([&](const Number& p, const Number& t) { return of(p - t); }, x[0], x[1]),
                     reduction);
               },
           .slack = 16,
           .gradient_slack = 32});
    };
    of_errors(
        "mean_squared_error", "mean_squared_error(Tensor, Tensor, LossOptions)",
        [=](const Tensor& p, const Tensor& t) { return mean_squared_error(p, t, options); },
        [](const Number& d) { return d * d; });
    of_errors(
        "mean_absolute_error", "mean_absolute_error(Tensor, Tensor, LossOptions)",
        [=](const Tensor& p, const Tensor& t) { return mean_absolute_error(p, t, options); },
        [](const Number& d) { return -d; });  // predictions are below all targets
    of_errors(
        "huber", "huber(Tensor, Tensor, HuberOptions)",
        [=](const Tensor& p, const Tensor& t) { return huber(p, t, {.delta = 3.0, .reduction = reduction}); },
        [](const Number& d) {
          return -d.value <= 3 ? Number(0.5) * d * d : Number(3.0) * (-d - Number(1.5));
        });
  }
}

}  // namespace

Ops softmax_ops() {
  Ops ops = {
      gradient_op("softmax_gradient", softmax_gradient,
                  [](const Numbers& y, const Numbers& g) {
                    const Number both = plain::dot(y, g);
                    Numbers result;
                    for (std::size_t i = 0; i < y.size(); ++i) result.push_back(y[i] * (g[i] - both));
                    return result;
                  }),
      gradient_op("log_softmax_gradient", log_softmax_gradient,
                  [](const Numbers& y, const Numbers& g) {
                    const Number total = plain::sum(g);
                    Numbers result;
                    for (std::size_t i = 0; i < y.size(); ++i) result.push_back(g[i] - exp(y[i]) * total);
                    return result;
                  }),
  };
  for (const int axis : {0, 1, -1}) {
    ops.push_back(row_op(
        "softmax", axis, [axis](const Tensor& x) { return softmax(x, axis); }, softmax_of));
    ops.push_back(row_op(
        "log_softmax", axis, [axis](const Tensor& x) { return log_softmax(x, axis); }, log_softmax_of));
  }
  add_losses(ops);
  return ops;
}

INSTANTIATE_TEST_SUITE_P(Softmax, OpProperties, ::testing::ValuesIn(softmax_ops()), name_of_op);

}  // namespace likely::testing
