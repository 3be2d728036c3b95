#include "likely/optim/average.hpp"

#include <fmt/format.h>

#include <string>

#include "likely/core/dispatch.hpp"
#include "likely/optim/check_options.hpp"
#include "likely/optim/tree_tiles.hpp"
#include "likely/tree/misfit.hpp"

namespace likely::optim {

namespace {

template <class T>
void blend_of(const std::vector<detail::Pair>& pairs, double weight) {
  std::vector<T*> to;
  std::vector<Tensor> from;  // dense ones, kept alive
  std::vector<std::int64_t> sizes;
  for (const detail::Pair& pair : pairs) {
    if (!pair.blended || pair.average->dtype() != dtype_of<T>) continue;
    from.push_back(pair.value->contiguous());
    to.push_back(pair.average->mutable_data<T>());
    sizes.push_back(pair.average->size());
  }
  detail::for_each_piece(sizes, 0.3, [&](std::size_t tensor, std::int64_t begin, std::int64_t end) {
    T* const average = to[tensor];
    const T* const value = from[tensor].template data<T>();
    const T w = static_cast<T>(weight);
    for (std::int64_t i = begin; i < end; ++i) average[i] += w * (value[i] - average[i]);
  });
}

}  // namespace

std::optional<detail::LeafComplaint> detail::check_pairs(const std::vector<Pair>& pairs) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!pairs[i].blended) continue;
    const Tensor& average = *pairs[i].average;
    const Tensor& value = *pairs[i].value;
    const bool same = average.defined() && value.defined() && average.shape() == value.shape() &&
                      average.dtype() == value.dtype();
    if (!same) {
      return LeafComplaint{i, fmt::format("is {} in the average, {} in the model", shape_and_type(average),
                                          shape_and_type(value))};
    }
    if (!likely::detail::is_f32_or_f64(average.dtype()))
      return LeafComplaint{i, fmt::format("is {}: only f32 and f64 are averaged", name_of(average.dtype()))};
  }
  return std::nullopt;
}

void detail::blend(const AverageOptions& options, Buffer& updates, const std::vector<Pair>& pairs) {
  check_average(options);
  if (const std::string wrong = updates_misfit(updates); !wrong.empty()) refuse("Average", wrong);
  const double before = updates.item();
  updates = full({}, before + 1.0, DType::i64);
  const double weight = options.decay ? 1.0 - *options.decay : 1.0 / (before + 1.0);
  blend_of<float>(pairs, weight);
  blend_of<double>(pairs, weight);
  for (const Pair& pair : pairs) {
    if (!pair.blended) *pair.average = *pair.value;
  }
}

std::string detail::updates_misfit(const Buffer& updates) {
  return part_misfit("updates", updates, {}, DType::i64, Values::count);
}

void detail::check_average(const AverageOptions& options) {
  if (options.decay) check_below_1("Average", "decay", *options.decay);
}

void detail::check_average_of(std::size_t kept, std::size_t given) {
  if (kept == given) return;
  refuse("Average",
         "made for a model of " + std::to_string(kept) + " tensors, got one of " + std::to_string(given));
}

}  // namespace likely::optim
