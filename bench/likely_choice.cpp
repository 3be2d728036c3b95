#include "bench/likely_choice.hpp"

#include <memory>

#include "bench/choice_task.hpp"
#include "likely/models/choice/likelihood.hpp"

namespace bench {

namespace {

namespace choice = likely::choice;

void add_gradient(Workloads& all, const char* name, std::int64_t subjects) {
  if (!all.wants(name)) return;
  const ChoiceTask task = choice_task(subjects);
  choice::Trials trials;
  for (std::int64_t s = 0; s < subjects; ++s) {
    choice::Subject subject;
    subject.id = std::to_string(s);
    for (std::int64_t t = 0; t < kChoiceTrials; ++t) {
      const auto at = static_cast<std::size_t>(s * kChoiceTrials + t);
      subject.choice.push_back(task.choice[at]);
      subject.outcome.push_back(task.outcome[at]);
    }
    trials.subjects.push_back(std::move(subject));
  }
  const auto likelihood = std::make_shared<choice::Likelihood>(choice::named_model("rw"), trials);
  std::vector<double> at;
  for (std::int64_t s = 0; s < subjects; ++s) at.insert(at.end(), {kChoiceAlpha, kChoiceBeta});
  const auto run = [likelihood, at, subjects] {
    std::vector<double> value(static_cast<std::size_t>(subjects));
    std::vector<double> gradient(at.size());
    likelihood->evaluate(at, value, gradient, {}, choice::Scale::natural);
    return std::pair(std::move(value), std::move(gradient));
  };
  all.add({name, 1.0, [run] { keep(run()); },
           [run] {
             const auto [value, gradient] = run();
             return summed(value, gradient);
           }});
}

}  // namespace

void add_choice(Workloads& all) {
  add_gradient(all, kJ1, 1);
  add_gradient(all, kJ2, 1000);
  add_gradient(all, kJ3, 1000);
}

}  // namespace bench
