// One measured piece of work, the same for likely and for its peer.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace bench {

struct Workload {
  std::string name;                            // "b1 MLP 40-100-100-10 ...": starts with letter and number
  double units = 1.0;                          // how many of what is reported one run() does
  std::function<void()> run;                   // the work that is timed
  std::function<std::vector<double>()> check;  // numbers that both sides must agree on
};

// The names, so that both sides spell them alike.
inline const char* const kA1 = "a1 y=x*w+b 4 elements, no gradient, per op";
inline const char* const kA3 = "a3 20-op chain 16 elements, forward+backward, per op";
inline const char* const kA4 = "a4 20-op chain 16 elements, forward with tape, per op";
inline const char* const kB1 = "b1 MLP 40-100-100-10 B100 SGD";
inline const char* const kB2 = "b2 MLP 40-100-100-10 B100 SGD momentum";
inline const char* const kC1 = "c1 MLP 784-512-512-10 B128 Adam";
inline const char* const kC2 = "c2 MLP 784-512-512-10 B128 SGD";
inline const char* const kD = "d1 CNN 1x28x28 B64 SGD momentum";
inline const char* const kD2 = "d2 CNN of mnist-cnn B100 AdamW, an epoch of 600 steps";
inline const char* const kE = "e1 residual net 3x32x32 B32 4 blocks x32 SGD";
inline const char* const kJ1 = "j1 choice model 1 subject x 200 trials, gradient";
inline const char* const kJ2 = "j2 choice model 1000 x 200, gradient, against a plain loop";
inline const char* const kJ3 = "j3 choice model 1000 x 200, gradient";
inline const char* const kN1 = "n1 softmax cross-entropy forward+backward 8192x1000";
inline const char* const kN2 = "n2 softmax cross-entropy forward+backward 64x50257";
inline const char* const kN6 = "n6 log_softmax forward+backward 8192x1000";
inline const char* const kN9 = "n9 layer norm forward+backward 4096x768";
inline const char* const kO1 = "o1 Gumbel top-k 64x50257 k=10";
inline const char* const kP1 = "p1 add 1Mi";
inline const char* const kP2 = "p2 exp 1Mi";
inline const char* const kP3 = "p3 tanh 1Mi";
inline const char* const kP4 = "p4 sigmoid 1Mi";
inline const char* const kP5 = "p5 gelu 1Mi";
inline const char* const kP6 = "p6 sum 1Mi";
inline const char* const kP7 = "p7 normal 1Mi";
inline const char* const kP8 = "p8 uniform 1Mi";
inline const char* const kP9 = "p9 Bernoulli 1Mi";

// Of o1: what is drawn in the check, and a tenth of how far the largest and the k-th perturbed logit lie
// above the log-sum-exp of their row, on average. (Of so many draws the two sides differ by less than 0.05.)
inline constexpr std::int64_t kGumbelDraws = 10;
inline constexpr int kGumbelRuns = 40;
inline constexpr double kGumbelPart = 0.1;

// An epoch of MNIST: 60,000 digits.
inline constexpr double kEpochSteps = 600.0;

// Rates so small that the numbers stay where they are: a fixed batch must not be over-fitted into denormals.
inline constexpr double kSgdRate = 1e-6;
inline constexpr double kAdamRate = 1e-7;
// The checks take visible steps.
inline constexpr double kCheckRate = 1e-2;
inline constexpr int kCheckSteps = 3;

// Numbers that are the same on both sides, whatever the library: about normal, from a fixed generator.
std::vector<float> normals(std::int64_t count, std::uint64_t seed, double scale = 1.0);
std::vector<float> uniforms(std::int64_t count, std::uint64_t seed);
std::vector<std::int64_t> labels(std::int64_t count, std::int64_t classes, std::uint64_t seed);

// The workloads of one side: all, or only the one of this name. What a process allocated before decides how
// its allocator behaves, so a workload is timed in a process that makes nothing else.
class Workloads {
 public:
  explicit Workloads(std::string only) : only_(std::move(only)) {}
  bool wants(const std::string& name) const { return only_.empty() || only_ == name; }
  // Drops one that is not wanted; whoever makes large arrays asks first.
  void add(Workload work) {
    if (wants(work.name)) all_.push_back(std::move(work));
  }
  const std::vector<Workload>& all() const { return all_; }

 private:
  std::string only_;
  std::vector<Workload> all_;
};

// With the side's library set to this many threads.
Workloads workloads(int threads, const std::string& only = "");

// Keeps the compiler from dropping a result.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

}  // namespace bench
