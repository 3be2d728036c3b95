// The pictures that say how a model learned and what it does: chosen by what the data and outputs are.
#pragma once

#include <vector>

#include "likely/core/tensor.hpp"
#include "likely/runs/picture_folder.hpp"
#include "likely/runs/supervised.hpp"
#include "likely/train/options.hpp"

namespace likely::runs {

// "loss", and one for each metric.
void draw_curves(const std::vector<train::EpochReport>& history, PictureFolder& pictures);

// How often rows of each class (down) were taken for each class (across): (classes, classes) i64.
Tensor confusion_matrix(const Tensor& predicted, const Tensor& labels, std::int64_t classes);
// "confusion". Classes are named by number where there are no names; of more than 40 the most frequent are
// shown.
void draw_confusion(const Tensor& matrix, const std::vector<std::string>& names, PictureFolder& pictures);

// "fit": data and the curve of a model of one input: the mean with a band of two standard deviations, or the
// probability of class 1.
void draw_fit(const Predictor& predict, Objective::Kind kind, const data::Dataset& rows,
              PictureFolder& pictures);

// "areas": the class that a model of two inputs gives each place, and the data.
void draw_areas(const Predictor& predict, Objective::Kind kind, const data::Dataset& rows,
                PictureFolder& pictures);

// "predicted": predictions of numbers against the truth.
void draw_predicted(const Tensor& predicted, const Tensor& truth, PictureFolder& pictures);

}  // namespace likely::runs
