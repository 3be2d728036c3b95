// The figures of studies. Internal to choice_study/.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "likely/models/choice/predictive.hpp"
#include "likely/models/choice/recovery.hpp"
#include "likely/models/choice_study/study.hpp"
#include "likely/runs/picture_folder.hpp"

namespace likely::choice {

// The mean probability of each option along the trials, over subjects.
class FittedCurve {
 public:
  explicit FittedCurve(const Trials& trials);
  void add(const Expectations& expected);

  std::int64_t bin() const { return bin_; }
  // Bins x options.
  std::vector<double> rates() const;

 private:
  std::int64_t bin_;
  std::size_t options_;
  std::vector<double> sums_, counts_;
};

class StudyPictures {
 public:
  // Draws nothing unless it is wanted.
  StudyPictures(const std::filesystem::path& folder, bool wanted)
      : folder_(folder), pictures_(folder), wanted_(wanted) {}

  // "learning-MODEL": how often each option was chosen, and how often the model expected it.
  void learning(const ModelStudy& study, const Trials& trials, const FittedCurve& fitted);
  // "parameters-MODEL": the estimates of all subjects, with the law of the population where there is one.
  void parameters(const ModelStudy& study);
  // "recovery-MODEL": true and fitted parameters.
  void recovery(const Recovery& recovery);
  // "confusion": which model was best for data of which.
  void confusion(const ModelConfusion& confusion);
  // "frequencies": how many subjects use each model, and how surely it is the most frequent.
  void frequencies(const std::vector<std::string>& models, const std::vector<double>& frequencies,
                   const std::vector<double>& protected_exceedance);

  // Pictures relative to the folder.
  runs::Drawn drawn() const;

 private:
  void draw_learning(const ModelStudy& study, const Trials& trials, const FittedCurve& fitted);
  // Up to three side by side.
  void add_row(const std::string& name, const std::vector<plot::Figure>& panels, int height);

  std::filesystem::path folder_;
  runs::PictureFolder pictures_;
  bool wanted_;
};

}  // namespace likely::choice
