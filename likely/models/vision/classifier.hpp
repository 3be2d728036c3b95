// What the recipes of chapters 10 and 11 have in common: a network that scores classes, trained by AdamW with
// a rate that falls along a cosine, and pictures of its filters and of what its layers make of an example.
#pragma once

#include <functional>
#include <vector>

#include "likely/models/vision/layer_output.hpp"
#include "likely/runs/supervised.hpp"

namespace likely::models {

runs::Setting dropout_setting(double value);
runs::Setting weight_decay_setting(double value);

namespace detail {

// "filters" and "activations", for the first row of the test data.
void draw_inside(const Tensor& filters,
                 const std::function<std::vector<vision::LayerOutput>(const Tensor&)>& layers,
                 const runs::Splits& splits, runs::PictureFolder& pictures);

}  // namespace detail

// Completes a recipe of such a model: one with layers(x), whose first part is the weight of its first layer.
// Where no weight decay is among the settings there is none.
template <Tree Model>
runs::Recipe classifier(const runs::Recipe& about,
                        const std::function<runs::Splits(const runs::Run&, Rng)>& data,
                        const std::function<Model(const runs::Run&, const runs::Sizes&, Rng)>& model) {
  return runs::supervised<Model, optim::AdamW>(
      about,
      {.data = data,
       .model = model,
       .objective = runs::classification(),
       .optimizer =
           [](const runs::Run& run, const Model& m) {
             const runs::Settings& settings = run.settings;
             const double decay = settings.has("weight_decay") ? settings.number("weight_decay") : 0.0;
             return optim::AdamW(m, {.lr = settings.number("lr"), .weight_decay = decay});
           },
       .schedule = runs::cosine_schedule,
       .pictures =
           [](const runs::Run&, const Model& m, const runs::Splits& splits, runs::PictureFolder& pictures) {
             detail::draw_inside(
                 named_parts(m).front().value, [&](const Tensor& x) { return m.layers(x); }, splits,
                 pictures);
           }});
}

}  // namespace likely::models
