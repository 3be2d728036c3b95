#include "likely/prob/distributions/parameters.hpp"

#include <fmt/format.h>

#include <limits>

#include "likely/core/create.hpp"
#include "likely/core/dispatch.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/cast.hpp"

namespace likely {

Tensor Parameter::as(DType dtype) const {
  return is_number() ? full({}, number_, dtype) : cast(value_, dtype);
}

Shape joined(const Shape& a, const Shape& b) {
  Shape result = a;
  for (const std::int64_t size : b) result.push_back(size);
  return result;
}

namespace detail {

namespace {

const char* requirement(Domain domain) {
  switch (domain) {
    case Domain::finite: return "must be finite";
    case Domain::positive: return "must be finite and above 0";
    case Domain::not_zero: return "must be finite and not 0";
    case Domain::not_negative: return "must be finite and not below 0";
    case Domain::probability: return "must lie in [0, 1]";
    case Domain::inner_probability: return "must lie in (0, 1)";
  }
  return "";
}

// Every comparison is false for NaN, so NaN is in no domain.
template <class T>
bool allowed(Domain domain, T x) {
  constexpr T kMost = std::numeric_limits<T>::max();
  switch (domain) {
    case Domain::finite: return x >= -kMost && x <= kMost;
    case Domain::positive: return x > T{0} && x <= kMost;
    case Domain::not_zero: return x >= -kMost && x <= kMost && x != T{0};
    case Domain::not_negative: return x >= T{0} && x <= kMost;
    case Domain::probability: return x >= T{0} && x <= T{1};
    case Domain::inner_probability: return x > T{0} && x < T{1};
  }
  return false;
}

// Whole blocks are judged without a branch, which the compiler turns into vector instructions.
template <Domain kDomain, class T>
std::int64_t first_outside(const T* x, std::int64_t n) {
  constexpr std::int64_t kBlock = 512;
  for (std::int64_t begin = 0; begin < n; begin += kBlock) {
    const std::int64_t end = begin + kBlock < n ? begin + kBlock : n;
    unsigned bad = 0;
    for (std::int64_t i = begin; i < end; ++i) bad |= allowed(kDomain, x[i]) ? 0U : 1U;
    if (bad == 0) continue;
    for (std::int64_t i = begin; i < end; ++i) {
      if (!allowed(kDomain, x[i])) return i;
    }
  }
  return -1;
}

template <class T>
std::int64_t first_outside(Domain domain, const T* x, std::int64_t n) {
  switch (domain) {
    case Domain::finite: return first_outside<Domain::finite>(x, n);
    case Domain::positive: return first_outside<Domain::positive>(x, n);
    case Domain::not_zero: return first_outside<Domain::not_zero>(x, n);
    case Domain::not_negative: return first_outside<Domain::not_negative>(x, n);
    case Domain::probability: return first_outside<Domain::probability>(x, n);
    case Domain::inner_probability: return first_outside<Domain::inner_probability>(x, n);
  }
  return -1;
}

}  // namespace

void check_domain(const char* distribution, const char* name, const Tensor& x, Domain domain) {
  const Tensor dense = x.with_track({}).contiguous();
  if (!is_floating(dense.dtype())) return check_domain(distribution, name, dense.to(DType::f64), domain);
  with_floating(distribution, dense.dtype(), [&]<class T>(T) {
    const std::int64_t bad = first_outside(domain, dense.data<T>(), dense.size());
    if (bad < 0) return;
    const double value = dense.data<T>()[bad];
    const std::string place = x.rank() == 0 ? "" : " at " + index_of(x.shape(), bad).string();
    refuse(distribution, fmt::format("{} {}, got {}{}", name, requirement(domain), value, place));
  });
}

std::vector<Tensor> checked(const char* distribution, std::initializer_list<NamedParameter> parameters) {
  bool any_tensor = false;
  DType dtype = DType::boolean;
  for (const NamedParameter& p : parameters) {
    if (p.value.is_number()) continue;
    any_tensor = true;
    dtype = promote(dtype, p.value.value().dtype());
  }
  if (!any_tensor || !is_floating(dtype)) dtype = DType::f32;
  std::vector<Tensor> result;
  result.reserve(parameters.size());
  Shape batch;
  for (const NamedParameter& p : parameters) {
    result.push_back(p.value.as(dtype));
    check_domain(distribution, p.name, result.back(), p.domain);
    batch = broadcast_shapes(distribution, batch, result.back().shape());
  }
  return result;
}

Tensor positive_from(const Tensor& raw) { return softplus(raw); }

Shape batch_of(const Tensor& a, const Tensor& b) { return broadcast_shapes("batch", a.shape(), b.shape()); }

Shape batch_of(const Tensor& a, const Tensor& b, const Tensor& c) {
  return broadcast_shapes("batch", batch_of(a, b), c.shape());
}

}  // namespace detail

}  // namespace likely
