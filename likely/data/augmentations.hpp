// Noise and distortions for training: functions for Dataset::augment, and fixed noise on labels.
//
//   const auto train = digits.augment(data::add_noise(0.1)).augment(data::shift_images(2));
#pragma once

#include <cstdint>

#include "likely/data/dataset.hpp"

namespace likely::data {

// x + Normal(0, stddev^2). Refuses stddev < 0.
Dataset::Augmentation add_noise(double stddev);

// Each row is moved by up to `most` places along the last axis, and along the one before it if x is (rows,
// ..., height, width); 0 comes in at the edge. One shift for all channels of a row. Refuses most < 0.
Dataset::Augmentation shift_sequences(std::int64_t most);
Dataset::Augmentation shift_images(std::int64_t most);

// Each row is mirrored along the last axis with this probability. Refuses p outside [0, 1].
Dataset::Augmentation flip(double p = 0.5);

// Each label is replaced, with probability p, by one of `classes` classes drawn evenly (it may be the same).
// The noise is drawn once: train.with_targets(data::label_noise(train.targets(), 0.15, 10, rng.split())).
// Refuses p outside [0, 1], what is not i64, and labels outside [0, classes).
Tensor label_noise(const Tensor& labels, double p, std::int64_t classes, Rng rng);

}  // namespace likely::data
