#include "likely/kernels/elementwise/elementwise.hpp"

#include "likely/core/dispatch.hpp"
#include "likely/kernels/elementwise/tables.hpp"

namespace likely::kernels {

namespace {

struct Tables {
  detail::TypeTable<UnaryRow> unary[kUnaryCount];
  detail::TypeTable<BinaryRow> binary[kBinaryCount];

  Tables() {
    for (int i = 0; i < kUnaryCount; ++i) {
      unary[i].fill([i](DType type) { return find(Unary(i), type); });
    }
    for (int i = 0; i < kBinaryCount; ++i) {
      binary[i].fill([i](DType type) { return find(Binary(i), type); });
    }
  }

  static UnaryRow find(Unary operation, DType type) {
    for (const auto lookup :
         {&find_arithmetic_unary, &find_transcendental_unary, &find_activation_unary, &find_special_unary}) {
      if (const UnaryRow row = lookup(operation, type)) return row;
    }
    return nullptr;
  }

  static BinaryRow find(Binary operation, DType type) {
    for (const auto lookup : {&find_arithmetic_binary, &find_transcendental_binary, &find_gradient_binary}) {
      if (const BinaryRow row = lookup(operation, type)) return row;
    }
    return nullptr;
  }
};

const Tables& tables() {
  static const Tables made;
  return made;
}

// Vectors hold half as many lanes of f64 and i64 as of f32.
bool is_wide(DType type) { return size_of(type) > sizeof(float); }

// f64 needs longer polynomials, too.
double for_type(double nanoseconds, DType type) { return is_wide(type) ? 3.0 * nanoseconds : nanoseconds; }

}  // namespace

UnaryRow unary_row(Unary operation, DType type) { return tables().unary[static_cast<int>(operation)][type]; }

BinaryRow binary_row(Binary operation, DType type) {
  return tables().binary[static_cast<int>(operation)][type];
}

double nanoseconds_per_element(Unary operation, DType type) {
  switch (operation) {
    case Unary::lgamma:
    case Unary::digamma:
    case Unary::trigamma: return 30.0;
    case Unary::polygamma: return 300.0;
    case Unary::power_scalar:
    case Unary::sin:
    case Unary::cos:
    case Unary::erfc:
    case Unary::gelu:
    case Unary::log:
    case Unary::log1p:
    case Unary::softplus:
    case Unary::logsigmoid: return for_type(0.7, type);
    case Unary::exp:
    case Unary::expm1:
    case Unary::tanh:
    case Unary::erf:
    case Unary::elu:
    case Unary::gelu_tanh:
    case Unary::silu:
    case Unary::sigmoid: return for_type(0.4, type);
    default: return 0.1 * (is_wide(type) ? 2.0 : 1.0);
  }
}

double nanoseconds_per_element(Binary operation, DType type) {
  switch (operation) {
    case Binary::power: return is_wide(type) ? 25.0 : 3.0;
    case Binary::elu_gradient:
    case Binary::gelu_gradient:
    case Binary::gelu_tanh_gradient:
    case Binary::silu_gradient:
    case Binary::softplus_gradient: return for_type(0.6, type);
    default: return 0.15 * (is_wide(type) ? 2.0 : 1.0);
  }
}

}  // namespace likely::kernels
