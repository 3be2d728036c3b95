// The subcommands of `likely`. Each lives in a file of its own, which adds itself to the command line.
//
// A command throws likely::Error for bad input: one line, exit code 2. CLI::RuntimeError(code) ends it with
// another code, after the command has said why.
#pragma once

#include <CLI/App.hpp>

namespace likely::command {

// The exit code of a command whose input is bad.
inline constexpr int kBadInput = 2;
// The exit code of a command that was interrupted, as shells have it: 128 + SIGINT.
inline constexpr int kInterrupted = 130;

// `likely list`: everything that can be trained.
void add_list(CLI::App& app);
// `likely train NAME`: trains a recipe into a run folder.
void add_train(CLI::App& app);
// `likely resume DIR`: goes on with a training.
void add_resume(CLI::App& app);
// `likely eval DIR`: measures again.
void add_eval(CLI::App& app);
// `likely predict DIR --in FILE`: predictions for a user's rows.
void add_predict(CLI::App& app);
// `likely plot DIR`: draws again.
void add_plot(CLI::App& app);
// `likely calibrate PATH`: probabilities that can be believed.
void add_calibrate(CLI::App& app);
// `likely fit FILE`: parameters of choice models from trials.
void add_fit(CLI::App& app);
// `likely compare FILE`: which model of choice explains the trials best.
void add_compare(CLI::App& app);
// `likely simulate`: trials that a model makes.
void add_simulate(CLI::App& app);
// `likely recover`: whether a task tells parameters and models apart, by simulation.
void add_recover(CLI::App& app);
// `likely choice-models`: what there is to fit.
void add_choice_models(CLI::App& app);
// `likely sweep NAME`: tries settings of a recipe, and says which are best.
void add_sweep(CLI::App& app);
// `likely sequences`: sequences of a Markov chain, and means estimated from them.
void add_sequences(CLI::App& app);
// `likely word2vec FILE`: word vectors from a text.
void add_word2vec(CLI::App& app);
// `likely words nearest|analogy|eval FILE`: what word vectors know.
void add_words(CLI::App& app);
// `likely inspect FILE`: what a file of tensors or a run folder holds.
void add_inspect(CLI::App& app);
// `likely estimators`: estimators of the gradient of an expectation, side by side.
void add_estimators(CLI::App& app);
// `likely equations`: the book's equations, their functions and tests.
void add_equations(CLI::App& app);
// `likely bench`: measures this machine.
void add_bench(CLI::App& app);
// `likely info`: what was built and what it runs on.
void add_info(CLI::App& app);
// `likely completion bash|zsh`: a script that completes names and options. To be added last: it lists what is
// there.
void add_completion(CLI::App& app);

}  // namespace likely::command
