#include "likely/optim/clip.hpp"

#include <array>
#include <cmath>
#include <string>

#include "likely/core/dispatch.hpp"
#include "likely/optim/check_options.hpp"
#include "likely/optim/tree_tiles.hpp"

namespace likely::optim {

namespace {

// What is skipped is not clipped: nothing may be.
template <class Pointer>
void check_floating(const char* name, const std::vector<Pointer>& leaves) {
  for (const Tensor* leaf : leaves) {
    if (!leaf->defined()) refuse(name, "a part of the gradient is empty");
    if (!likely::detail::is_f32_or_f64(leaf->dtype())) {
      refuse(name, "a part of the gradient is " + std::string(likely::name_of(leaf->dtype())) +
                       ": only f32 and f64 can be learned");
    }
  }
}

// In eight sums side by side, which the compiler makes vectors of.
template <class T>
double sum_of_squares(const T* x, std::int64_t n) {
  std::array<double, 8> lanes{};
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    for (std::size_t k = 0; k < 8; ++k) {
      const auto value = static_cast<double>(x[i + static_cast<std::int64_t>(k)]);
      lanes[k] += value * value;
    }
  }
  for (; i < n; ++i) lanes[0] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  double total = 0.0;
  for (const double lane : lanes) total += lane;
  return total;
}

// A model holds up to one type or two: each has its own list of memory.
template <class T>
struct Arrays {
  std::vector<T*> memory;
  std::vector<std::int64_t> sizes;

  explicit Arrays(const std::vector<Tensor*>& leaves) {
    for (Tensor* leaf : leaves) {
      if (leaf->dtype() != dtype_of<T>) continue;
      memory.push_back(leaf->mutable_data<T>());
      sizes.push_back(leaf->size());
    }
  }

  template <class Change>
  void change(const Change& f) {
    detail::for_each_piece(sizes, 0.2, [&](std::size_t tensor, std::int64_t begin, std::int64_t end) {
      T* const values = memory[tensor];
      for (std::int64_t i = begin; i < end; ++i) values[i] = f(values[i]);
    });
  }
};

template <class T>
double squares_of(const std::vector<const Tensor*>& leaves) {
  std::vector<Tensor> dense;
  std::vector<std::int64_t> sizes;
  for (const Tensor* leaf : leaves) {
    if (leaf->dtype() != dtype_of<T>) continue;
    dense.push_back(leaf->contiguous());
    sizes.push_back(leaf->size());
  }
  // One sum a piece, added in the order of the pieces whoever computed them.
  std::vector<std::vector<double>> sums(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sums[i].resize(static_cast<std::size_t>((sizes[i] + detail::kPiece - 1) / detail::kPiece));
  }
  detail::for_each_piece(sizes, 0.2, [&](std::size_t tensor, std::int64_t begin, std::int64_t end) {
    sums[tensor][static_cast<std::size_t>(begin / detail::kPiece)] =
        sum_of_squares(dense[tensor].template data<T>() + begin, end - begin);
  });
  double total = 0.0;
  for (const std::vector<double>& of_tensor : sums) {
    for (const double part : of_tensor) total += part;
  }
  return total;
}

}  // namespace

double global_norm(const std::vector<const Tensor*>& leaves) {
  check_floating("global_norm", leaves);
  return std::sqrt(squares_of<float>(leaves) + squares_of<double>(leaves));
}

double clip_norm(const std::vector<Tensor*>& leaves, double most) {
  detail::check_above_0("clip_norm", "the norm", most);
  check_floating("clip_norm", leaves);
  const double norm = global_norm(std::vector<const Tensor*>(leaves.begin(), leaves.end()));
  if (!(norm > most) || !std::isfinite(norm)) return norm;
  const double factor = most / norm;
  Arrays<float>(leaves).change([f = static_cast<float>(factor)](float x) { return x * f; });
  Arrays<double>(leaves).change([factor](double x) { return x * factor; });
  return norm;
}

void clip_value(const std::vector<Tensor*>& leaves, double most) {
  detail::check_above_0("clip_value", "the limit", most);
  check_floating("clip_value", leaves);
  const auto clamp = [most]<class T>(T x) {
    const T limit = static_cast<T>(most);
    return x > limit ? limit : x < -limit ? -limit : x;
  };
  Arrays<float>(leaves).change(clamp);
  Arrays<double>(leaves).change(clamp);
}

}  // namespace likely::optim
