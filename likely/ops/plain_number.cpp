#include "likely/ops/plain_number.hpp"

#include "likely/core/create.hpp"

namespace likely {

PlainNumber PlainNumber::operator-() const {
  // As i64 does: the smallest number is its own negative.
  if (is_whole_) return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(bits_));
  return -value();
}

Tensor PlainNumber::beside(const Tensor& x) const {
  const DType type = type_beside(x.dtype());
  return type == DType::i64 ? tensor(bits_) : full({}, value(), type);
}

}  // namespace likely
