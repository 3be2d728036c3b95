#include "likely/train/loss_form.hpp"

#include <fmt/format.h>

#include "likely/core/error.hpp"

namespace likely::train::detail {

void check_takes_training(const std::string& trained_layer) {
  if (trained_layer.empty()) return;
  refuse("fit",
         fmt::format("the model's {} behaves differently in training, and the loss takes no Training to "
                     "hand it: write [](auto& m, const data::Batch& b, const auto&... training) and call "
                     "m(b.x, training...); to train without it, take the argument and leave it unused",
                     trained_layer));
}

}  // namespace likely::train::detail
