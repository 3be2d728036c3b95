#include "tests/support/op_overflow.hpp"

#include <optional>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/op_draws.hpp"

namespace likely::testing {

namespace {

Tensor input_of(const Input& input, const Sizes& sizes, DType type) {
  return constant(shape_of(input.axes, sizes), input.draw == Draw::labels ? 0.0 : input.high,
                  input.type.value_or(type));
}

// Nothing where no tensor can be so large.
std::optional<Tensors> inputs_of(const Op& op, const Sizes& sizes) {
  Tensors inputs;
  try {
    for (const Input& input : op.inputs) inputs.push_back(input_of(input, sizes, op.types.front()));
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("[tensor] out of memory: shape ("), 0U) << error.what();
    return std::nullopt;
  }
  return inputs;
}

// "[matmul] ..." of an operation that declares "matmul(Tensor, Tensor)"; or that there is no memory for a
// result, which is said alike for all.
bool names_the_op(const std::string& message, const Op& op) {
  if (message.starts_with("[tensor] out of memory: ")) return true;
  const std::size_t end = message.find("] ");
  if (message[0] != '[' || end == std::string::npos) return false;
  const std::string name = message.substr(1, end - 1);
  if (name == op.name) return true;
  for (const std::string& declared : op.declares) {
    if (declared.substr(0, declared.find('(')) == name) return true;
  }
  return false;
}

std::optional<Tensor> result_of(const Op& op, const Sizes& sizes) {
  const std::optional<Tensors> inputs = inputs_of(op, sizes);
  if (!inputs) return std::nullopt;
  try {
    return op.call(*inputs);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// The first element, or the last.
double corner(Tensor tensor, bool last) {
  while (tensor.rank() > 0) tensor = select(tensor, 0, last ? tensor.dim(0) - 1 : 0);
  return tensor.to_vector<double>().at(0);
}

// The number of which all elements are; nothing where they differ or are none.
std::optional<double> only_number(const Tensor& tensor) {
  const std::vector<double> all = tensor.to_vector<double>();
  for (const double one : all) {
    if (one != all[0]) return std::nullopt;
  }
  return all.empty() ? std::nullopt : std::optional(all[0]);
}

// How a result depends on sizes is seen where these are small: they are made larger, one by one. What does
// not change, or changes by as much each time, goes on like that.
void check_accepted(const Op& op, const Tensor& result, const Sizes& usual, const Sizes& huge) {
  std::int64_t size = 1;
  for (const std::int64_t dim : result.shape()) {
    ASSERT_GE(dim, 0);
    ASSERT_FALSE(__builtin_mul_overflow(size, dim, &size)) << result.shape().string();
  }
  EXPECT_EQ(result.size(), size);
  std::vector<Tensor> small;
  for (int more = 0; more <= 4; ++more) {
    Sizes sizes = usual;
    for (auto& [letter, length] : sizes) length += huge.at(letter) != length ? more : 0;
    std::optional<Tensor> one = result_of(op, sizes);
    if (!one) return;  // sizes that go together only as they are
    small.push_back(*one);
  }
  EXPECT_EQ(result.dtype(), small[0].dtype());
  ASSERT_EQ(result.rank(), small[0].rank());
  for (int axis = 0; axis < result.rank(); ++axis) {
    const std::int64_t step = small[1].dim(axis) - small[0].dim(axis);
    bool steady = step == 0 || step == 1;
    for (std::size_t i = 2; i < small.size(); ++i)
      steady = steady && small[i].dim(axis) - small[i - 1].dim(axis) == step;
    if (!steady) continue;
    // With two sizes, either of them.
    bool fits = step == 0 && result.dim(axis) == small[0].dim(axis);
    for (const auto& [letter, length] : usual) {
      const std::int64_t more = huge.at(letter) - length;
      fits = fits || (step == 1 && more > 0 && result.dim(axis) == small[0].dim(axis) + more);
    }
    EXPECT_TRUE(fits) << "axis " << axis << " of " << result.shape().string();
  }
  const std::optional<double> number = only_number(small[0]);
  if (!number || only_number(small[1]) != number || result.size() == 0) return;
  EXPECT_EQ(corner(result, false), *number);
  EXPECT_EQ(corner(result, true), *number);
}

void check_gradient(const Op& op, const Tensors& inputs) {
  Tensors point;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (op.inputs[i].learned && is_floating(inputs[i].dtype())) point.push_back(inputs[i]);
  }
  // A rule is made of other operations, which may refuse in its place.
  try {
    const auto forward = vjp(point, [&](const Tensors& learned) {
      Tensors all = inputs;
      std::size_t next = 0;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (op.inputs[i].learned && is_floating(all[i].dtype())) all[i] = learned[next++];
      }
      return op.call(all);
    });
    const Tensors slopes = forward.pull_back(constant(forward.value.shape(), 1.0, forward.value.dtype()));
    ASSERT_EQ(slopes.size(), point.size());
    for (std::size_t i = 0; i < point.size(); ++i) EXPECT_EQ(slopes[i].shape(), point[i].shape());
  } catch (const Error& error) {
    EXPECT_EQ(error.what()[0], '[') << error.what();
  }
}

// Whatever is not an Error ends the test: std::bad_alloc, std::length_error, a signal.
void call(const Op& op, const Sizes& usual, const Sizes& sizes) {
  const std::optional<Tensors> inputs = inputs_of(op, sizes);
  if (!inputs) return;
  Tensor result;
  try {
    result = op.call(*inputs);
  } catch (const Error& error) {
    EXPECT_TRUE(names_the_op(error.what(), op)) << error.what();
    return;
  }
  check_accepted(op, result, usual, sizes);
  if (op.gradient && is_floating(op.types.front()) && is_floating(result.dtype()))
    check_gradient(op, *inputs);
}

}  // namespace

void check_overflow(const Op& op) {
  // Each beyond every address space; and two of them beyond 64 bits, where a product wraps around to 0.
  constexpr std::int64_t kHuge = std::int64_t{1} << 50;
  constexpr std::int64_t kHalf = std::int64_t{1} << 48;
  const Sizes usual = sizes_of(op.sizes.at(0));
  for (const auto& [letter, size] : usual) {
    Sizes sizes = usual;
    sizes[letter] = kHuge;
    SCOPED_TRACE(std::string(1, letter) + " is huge");
    call(op, usual, sizes);
    for (const auto& [other, size_of_other] : usual) {
      if (other <= letter) continue;
      Sizes both = usual;
      both[letter] = both[other] = kHalf;
      SCOPED_TRACE(std::string(1, other) + " and " + letter + " are large");
      call(op, usual, both);
    }
  }
}

}  // namespace likely::testing
