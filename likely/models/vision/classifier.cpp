#include "likely/models/vision/classifier.hpp"

#include <fmt/format.h>

#include "likely/models/vision/pictures.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"

namespace likely::models {

using namespace runs;

Setting dropout_setting(double value) {
  return number_setting("dropout", value, "the share of units that is dropped in training", 0.0, 0.95);
}

Setting weight_decay_setting(double value) {
  return number_setting("weight_decay", value, "lr times this is taken off each weight in a step", 0.0,
                        100.0);
}

namespace detail {

void draw_inside(const Tensor& filters,
                 const std::function<std::vector<vision::LayerOutput>(const Tensor&)>& layers,
                 const Splits& splits, PictureFolder& pictures) {
  const data::Batch first = (splits.test ? *splits.test : splits.train).range(0, 1);
  // What a linear layer looks for in an image is an image, too.
  const bool flat = filters.rank() == 2 && first.x.rank() == 4;
  const Shape& row = first.x.shape();
  vision::draw_filters(flat ? reshape(filters, {filters.dim(0), row[1], row[2], row[3]}) : filters, pictures);
  const std::vector<vision::LayerOutput> outputs = layers(first.x);
  const auto taken_for = static_cast<std::int64_t>(argmax(outputs.back().value, -1).item());
  const auto label = static_cast<std::int64_t>(first.y.item());
  // (1, 1, height, width) has one image.
  const Tensor input = first.x.rank() == 4 ? select(first.x, 1, 0) : first.x;
  vision::draw_activations(input, outputs, fmt::format("a {}, taken for a {}", label, taken_for), pictures);
}

}  // namespace detail

}  // namespace likely::models
