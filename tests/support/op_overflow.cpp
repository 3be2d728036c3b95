#include "tests/support/op_overflow.hpp"

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "tests/support/op_draws.hpp"

namespace likely::testing {

namespace {

Tensor input_of(const Input& input, const Sizes& sizes, DType type) {
  return constant(shape_of(input.axes, sizes), input.draw == Draw::labels ? 0.0 : input.high,
                  input.type.value_or(type));
}

// Whatever is not an Error ends the test: std::bad_alloc, std::length_error, a signal.
void call(const Op& op, const Sizes& sizes) {
  try {
    Tensors inputs;
    for (const Input& input : op.inputs) inputs.push_back(input_of(input, sizes, op.types.front()));
    const Tensor result = op.call(inputs);
    if (!op.gradient || !is_floating(op.types.front()) || !is_floating(result.dtype())) return;
    Tensors point;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (op.inputs[i].learned && is_floating(inputs[i].dtype())) point.push_back(inputs[i]);
    }
    const auto forward = vjp(point, [&](const Tensors& learned) {
      Tensors all = inputs;
      std::size_t next = 0;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (op.inputs[i].learned && is_floating(all[i].dtype())) all[i] = learned[next++];
      }
      return op.call(all);
    });
    forward.pull_back(constant(forward.value.shape(), 1.0, forward.value.dtype()));
  } catch (const Error& error) {
    EXPECT_EQ(error.what()[0], '[') << error.what();
  }
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
    call(op, sizes);
    for (const auto& [other, size_of_other] : usual) {
      if (other <= letter) continue;
      Sizes both = usual;
      both[letter] = both[other] = kHalf;
      SCOPED_TRACE(std::string(1, other) + " and " + letter + " are large");
      call(op, both);
    }
  }
}

}  // namespace likely::testing
