#include "likely/kernels/elementwise.hpp"

#include "likely/kernels/elementwise_tables.hpp"

namespace likely::kernels {

namespace {

constexpr int kTypes = 4;

struct Tables {
  UnaryRow unary[kUnaryCount][kTypes];
  BinaryRow binary[kBinaryCount][kTypes];

  Tables() {
    for (int type = 0; type < kTypes; ++type) {
      for (int i = 0; i < kUnaryCount; ++i) unary[i][type] = find(Unary(i), DType(type));
      for (int i = 0; i < kBinaryCount; ++i) binary[i][type] = find(Binary(i), DType(type));
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

// f64 vectors hold half as many lanes and need longer polynomials.
double for_type(double nanoseconds, DType type) {
  return type == DType::f32 ? nanoseconds : 3.0 * nanoseconds;
}

}  // namespace

UnaryRow unary_row(Unary operation, DType type) {
  return tables().unary[static_cast<int>(operation)][static_cast<int>(type)];
}

BinaryRow binary_row(Binary operation, DType type) {
  return tables().binary[static_cast<int>(operation)][static_cast<int>(type)];
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
    default: return 0.1 * (type == DType::f32 ? 1.0 : 2.0);
  }
}

double nanoseconds_per_element(Binary operation, DType type) {
  switch (operation) {
    case Binary::power: return type == DType::f32 ? 3.0 : 25.0;
    case Binary::elu_gradient:
    case Binary::gelu_gradient:
    case Binary::gelu_tanh_gradient:
    case Binary::silu_gradient:
    case Binary::softplus_gradient: return for_type(0.6, type);
    default: return 0.15 * (type == DType::f32 ? 1.0 : 2.0);
  }
}

}  // namespace likely::kernels
