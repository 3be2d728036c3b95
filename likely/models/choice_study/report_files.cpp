// The files of a study.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "likely/io/atomic_file.hpp"
#include "likely/io/csv_writer.hpp"
#include "likely/models/choice/simulate.hpp"
#include "likely/models/choice_study/report.hpp"
#include "likely/models/choice_study/report_figures.hpp"

namespace likely::choice {

namespace {

namespace fs = std::filesystem;

void write_models(const Study& study, const fs::path& folder) {
  io::CsvWriter table(folder / "models.csv",
                      {"model", "parameters", "log_likelihood", "log_joint", "log_evidence", "aic", "bic",
                       "integrated_bic", "loo", "loo_se", "waic"});
  for (const ModelStudy& model : study.models) {
    const double none = std::nan("");
    table.text(model.fit.model.name).whole(model.fit.model.size());
    table.number(model.fit.log_likelihood()).number(model.log_joint()).number(model.fit.log_evidence());
    table.number(model.fit.aic()).number(model.fit.bic());
    table.number(model.em ? model.em->integrated_bic : none);
    table.number(model.sampled ? model.sampled->loo.elpd : none);
    table.number(model.sampled ? model.sampled->loo.standard_error : none);
    table.number(model.sampled ? model.sampled->waic.elpd : none);
    table.end_row();
  }
  table.commit();
}

void write_subjects(const ModelStudy& study, const fs::path& file) {
  std::vector<std::string> names{"subjID", "trials"};
  for (const Parameter& p : study.fit.model.parameters) {
    for (const char* ending : {"", "_se", "_low", "_high"}) names.push_back(p.name + ending);
  }
  for (const char* name : {"log_likelihood", "log_joint", "log_evidence", "aic", "bic", "pseudo_r2", "loo"})
    names.emplace_back(name);
  io::CsvWriter table(file, names);
  for (std::size_t i = 0; i < study.fit.subjects.size(); ++i) {
    const SubjectFit& subject = study.fit.subjects[i];
    table.text(subject.id).whole(subject.trials);
    for (std::size_t k = 0; k < study.fit.model.parameters.size(); ++k) {
      table.number(subject.estimate[k]).number(subject.standard_error[k]);
      table.number(subject.interval_lower[k]).number(subject.interval_upper[k]);
    }
    table.number(subject.log_likelihood).number(subject.log_joint).number(subject.log_evidence);
    table.number(subject.aic).number(subject.bic).number(subject.pseudo_r2);
    table.number(study.sampled ? study.sampled->subject_loo[i] : std::nan(""));
    table.end_row();
  }
  table.commit();
}

void write_em(const HierarchicalFit& em, const fs::path& file) {
  io::CsvWriter table(file, {"parameter", "term", "coefficient", "standard_error", "p", "sd", "middle"});
  for (int k = 0; k < em.model.size(); ++k) {
    const Parameter& p = em.model.parameters[static_cast<std::size_t>(k)];
    const double none = std::nan("");
    const double mean = em.means[static_cast<std::size_t>(k)];
    table.text(p.name).text("mean").number(mean).number(em.mean_errors[static_cast<std::size_t>(k)]);
    table.number(none).number(em.sd(k)).number(p.natural(mean)).end_row();
    if (em.covariates.empty()) continue;
    for (int c = 0; c <= static_cast<int>(em.covariates.size()); ++c) {
      table.text(p.name).text(c == 0 ? "intercept" : em.covariates[static_cast<std::size_t>(c - 1)]);
      table.number(em.coefficient(k, c)).number(em.standard_error(k, c));
      table.number(c == 0 ? none : em.p_value(k, c)).number(none).number(none).end_row();
    }
  }
  table.commit();
}

void write_summaries(const std::vector<Summary>& summaries, const fs::path& file) {
  io::CsvWriter table(file, {"name", "mean", "sd", "median", "low", "high", "hdi_low", "hdi_high", "mcse",
                             "r_hat", "ess_bulk", "ess_tail"});
  for (const Summary& s : summaries) {
    table.text(s.name).number(s.mean).number(s.sd).number(s.median).number(s.low).number(s.high);
    table.number(s.densest.low).number(s.densest.high).number(s.mcse_mean);
    table.number(s.r_hat).number(s.ess_bulk).number(s.ess_tail);
    table.end_row();
  }
  table.commit();
}

// The population in every draw: the parameters at mu, and sigma.
void write_draws(const HierarchicalPosterior& posterior, const fs::path& file) {
  std::vector<std::string> names{"chain", "draw"};
  std::vector<Chains> columns;
  for (int k = 0; k < posterior.parameters(); ++k) {
    const std::string& name = posterior.model.parameters[static_cast<std::size_t>(k)].name;
    names.push_back(name);
    names.push_back("sigma_" + name);
    columns.push_back(posterior.group_mean(k));
    columns.push_back(posterior.group_spread(k));
  }
  io::CsvWriter table(file, names);
  for (std::size_t chain = 0; chain < posterior.draws.chains.size(); ++chain) {
    for (std::int64_t i = 0; i < posterior.draws.chains[chain].samples(); ++i) {
      table.whole(static_cast<std::int64_t>(chain) + 1).whole(i + 1);
      for (const Chains& column : columns) table.number(column[chain][static_cast<std::size_t>(i)]);
      table.end_row();
    }
  }
  table.commit();
}

// What the model expected on every trial: for imaging and pupils. Fills the fitted learning curve on the way.
class TrialTable {
 public:
  TrialTable(const Trials& trials, const fs::path& file) : trials_(trials), table_(file, names(trials)) {}

  void add(const Subject& subject, const Expectations& expected) {
    const auto options = static_cast<std::size_t>(expected.options);
    const auto cues = static_cast<std::size_t>(expected.cues);
    std::int64_t number = 0;
    for (std::size_t t = 0; t < subject.choice.size(); ++t) {
      const bool new_block = t > 0 && !subject.block.empty() && subject.block[t] != subject.block[t - 1];
      number = new_block ? 1 : number + 1;
      const auto choice = static_cast<std::size_t>(subject.choice[t]);
      table_.text(subject.id).text(block_of(subject, t));
      if (subject.trial.empty()) {
        table_.whole(number);
      } else {
        table_.number(subject.trial[t]);
      }
      table_.text(choice < trials_.option_names.size() ? trials_.option_names[choice]
                                                       : std::to_string(choice + 1));
      table_.number(subject.outcome[t]);
      table_.number(expected.probabilities[t * options + choice])
          .number(value_of(subject, expected, t, choice));
      table_.number(expected.errors[t]);
      for (std::size_t k = 0; k < options; ++k) table_.number(expected.probabilities[t * options + k]);
      for (std::size_t j = 0; j < cues; ++j) table_.number(expected.values[t * cues + j]);
      table_.end_row();
    }
  }
  void commit() { table_.commit(); }

 private:
  // As the file calls it.
  std::string block_of(const Subject& subject, std::size_t t) const {
    const auto block = static_cast<std::size_t>(subject.block.empty() ? 0 : subject.block[t]);
    return block < trials_.block_names.size() ? trials_.block_names[block] : std::to_string(block + 1);
  }
  static std::vector<std::string> names(const Trials& trials) {
    std::vector<std::string> names{"subjID",  "block",    "trial",        "choice",
                                   "outcome", "p_choice", "value_choice", "prediction_error"};
    const auto named = [](const std::vector<std::string>& list, int i) {
      return i < static_cast<int>(list.size()) ? list[static_cast<std::size_t>(i)] : std::to_string(i + 1);
    };
    for (int k = 0; k < trials.options; ++k) names.push_back("p_" + named(trials.option_names, k));
    for (int j = 0; j < trials.cues; ++j) names.push_back("value_" + named(trials.cue_names, j));
    return names;
  }
  // The sum over the cues of the option.
  static double value_of(const Subject& subject, const Expectations& expected, std::size_t t,
                         std::size_t option) {
    const auto cues = static_cast<std::size_t>(expected.cues);
    if (subject.cues.empty()) return expected.values[t * cues + option];
    const std::uint32_t bits = subject.cues[t * static_cast<std::size_t>(expected.options) + option];
    double sum = 0.0;
    for (std::size_t j = 0; j < cues; ++j)
      sum += ((bits >> j) & 1U) != 0 ? expected.values[t * cues + j] : 0.0;
    return sum;
  }

  const Trials& trials_;
  io::CsvWriter table_;
};

// visit(subject, what the model expects of it), for those that have an estimate.
template <class Visit>
void for_each_trace(const Fit& fit, const Trials& trials, const CancelTest& cancelled, const Visit& visit) {
  Trials one;
  one.options = trials.options;
  one.cues = trials.cues;
  for (std::size_t i = 0; i < fit.subjects.size(); ++i) {
    give_up_if(cancelled);
    const std::vector<double>& estimate = fit.subjects[i].estimate;
    if (!std::all_of(estimate.begin(), estimate.end(), [](double x) { return std::isfinite(x); })) continue;
    one.subjects = {trials.subjects[i]};
    visit(trials.subjects[i], expectations(fit.model, estimate, one, 0));
  }
}

}  // namespace

std::string file_name(const std::string& model) {
  std::string name = model;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ':' || c == ',' || c == '/'; }, '_');
  return name;
}

runs::Drawn write_study(const Study& study, const Trials& trials, const fs::path& folder,
                        const WriteOptions& options) {
  write_models(study, folder);
  StudyPictures pictures(folder, options.figures);
  for (const ModelStudy& model : study.models) {
    const std::string name = file_name(model.fit.model.name);
    write_subjects(model, folder / ("subjects-" + name + ".csv"));
    if (model.em) write_em(*model.em, folder / ("group-" + name + ".csv"));
    if (model.sampled) {
      write_summaries(model.sampled->group, folder / ("group-" + name + ".csv"));
      write_draws(model.sampled->posterior, folder / ("draws-" + name + ".csv"));
    }
    FittedCurve curve(trials);
    if (options.trials) {
      TrialTable table(trials, folder / ("trials-" + name + ".csv"));
      for_each_trace(model.fit, trials, options.cancelled,
                     [&](const Subject& subject, const Expectations& expected) {
                       table.add(subject, expected);
                       curve.add(expected);
                     });
      table.commit();
    } else if (options.figures) {
      for_each_trace(model.fit, trials, options.cancelled,
                     [&](const Subject&, const Expectations& expected) { curve.add(expected); });
    }
    pictures.learning(model, trials, curve);
    pictures.parameters(model);
  }
  return pictures.drawn();
}

}  // namespace likely::choice
