#include "likely/optim/average.hpp"

#include <fmt/format.h>

#include <string>

#include "likely/optim/check_options.hpp"
#include "likely/optim/tree_tiles.hpp"

namespace likely::optim {

namespace {

template <class T>
void blend_of(const std::vector<Tensor*>& averages, const std::vector<const Tensor*>& values, double weight) {
  std::vector<T*> to;
  std::vector<Tensor> from;  // dense ones, kept alive
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < averages.size(); ++i) {
    if (averages[i]->dtype() != dtype_of<T>) continue;
    from.push_back(values[i]->contiguous());
    to.push_back(averages[i]->mutable_data<T>());
    sizes.push_back(averages[i]->size());
  }
  detail::for_each_piece(sizes, 0.3, [&](std::size_t tensor, std::int64_t begin, std::int64_t end) {
    T* const average = to[tensor];
    const T* const value = from[tensor].template data<T>();
    const T w = static_cast<T>(weight);
    for (std::int64_t i = begin; i < end; ++i) average[i] += w * (value[i] - average[i]);
  });
}

}  // namespace

void detail::blend(const AverageOptions& options, Buffer& updates, const std::vector<Tensor*>& averages,
                   const std::vector<const Tensor*>& values) {
  check_average(options);
  for (std::size_t i = 0; i < averages.size(); ++i) {
    const Tensor& average = *averages[i];
    const Tensor& value = *values[i];
    if (!average.defined() || !(average.shape() == value.shape()) || average.dtype() != value.dtype()) {
      const auto described = [](const Tensor& t) {
        return t.defined() ? fmt::format("{} {}", name_of(t.dtype()), t.shape().string()) : "nothing";
      };
      refuse("Average",
             fmt::format("the average holds {}, the model {}", described(average), described(value)));
    }
  }
  const double before = updates.item();
  updates = full({}, before + 1.0, DType::i64);
  const double weight = options.decay ? 1.0 - *options.decay : 1.0 / (before + 1.0);
  blend_of<float>(averages, values, weight);
  blend_of<double>(averages, values, weight);
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
