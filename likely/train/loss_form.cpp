#include "likely/train/loss_form.hpp"

#include <fmt/format.h>

#include "likely/core/error.hpp"
#include "likely/nn/trained_layers.hpp"

namespace likely::train::detail {

namespace {

std::string of_model(const std::string& name) {
  return name == nn::kWholeModel ? name : "the model's " + name;
}

}  // namespace

void check_takes_training(const std::string& trained_layer, const std::string& holds_unnamed) {
  if (trained_layer.empty() && holds_unnamed.empty()) return;
  const std::string who =
      !trained_layer.empty()
          ? of_model(trained_layer) + " behaves differently in training"
          : of_model(holds_unnamed) +
                " holds a layer that behaves differently in training and is not named in LIKELY_PARTS";
  refuse("fit",
         fmt::format("{}, and the loss takes no Training to "
                     "hand it: write [](auto& m, const data::Batch& b, const auto&... training) and call "
                     "m(b.x, training...); to train without it, take the argument and leave it unused",
                     who));
}

}  // namespace likely::train::detail
