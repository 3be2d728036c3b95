// Pictures of what a network has learned: its first filters, and what its layers make of an example.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "likely/models/vision/layer_output.hpp"
#include "likely/runs/picture_folder.hpp"

namespace likely::vision {

// Images (count, height, width) side by side in one, about as wide as high; gaps of NaN between them. Refuses
// what has not three axes, and none.
Tensor mosaic(const Tensor& images);

// "filters", those of a first layer: weights (out, 1, kernel) or (out, 1, 1, kernel) of signals as small
// lines, weights (out, channels, height, width) of images as small images (the mean over the channels), and
// those of a linear layer (out, in) as rows of one image. At most `most` of them.
void draw_filters(const Tensor& weight, runs::PictureFolder& pictures, std::int64_t most = 64);

// "activations": one example and what each layer made of it. `input` is (1, length) or (1, height, width),
// outputs have one row. Signals are drawn as lines and their layers as (channel, place); images and their
// layers as mosaics; what has no places as bars.
void draw_activations(const Tensor& input, const std::vector<LayerOutput>& outputs, const std::string& title,
                      runs::PictureFolder& pictures);

}  // namespace likely::vision
