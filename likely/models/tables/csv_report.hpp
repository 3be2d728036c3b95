// What is said and drawn about a model of a table. Internal to tables/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "likely/models/tables/experiment.hpp"
#include "likely/runs/picture_folder.hpp"
#include "likely/runs/recipe.hpp"

namespace likely::tables {

// "test accuracy", "test macro-F1", "test log-loss" and, of saying the majority, "baseline accuracy" and
// "baseline log-loss"; or "test R2", "test RMSE", "test MAE" and, of saying the mean, "baseline RMSE" and
// "baseline MAE". `of` replaces "test".
std::vector<runs::Measured> figures_of(const Scores& scores, const std::string& of);

// The figures beside those of the simplest guess, with the confusion matrix or the interval that the share of
// hits lies in.
std::string text_of(const Scores& scores, const Schema& schema, std::int64_t rows, const std::string& of);

// "confusion" or "predicted", and "importance".
void draw(const std::vector<Judged>& judged, runs::PictureFolder& pictures);

}  // namespace likely::tables
