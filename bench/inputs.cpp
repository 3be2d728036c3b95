#include <cmath>
#include <numbers>

#include "bench/workload.hpp"

namespace bench {

namespace {

// splitmix64: simple enough to be the same everywhere.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ULL + 1) {}
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  double uniform() { return (static_cast<double>(bits() >> 11) + 0.5) * 0x1.0p-53; }
  double normal() {
    return std::sqrt(-2.0 * std::log(uniform())) * std::cos(2.0 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t state_;
};

}  // namespace

std::vector<float> normals(std::int64_t count, std::uint64_t seed, double scale) {
  Generator generator(seed);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& v : values) v = static_cast<float>(scale * generator.normal());
  return values;
}

std::vector<float> uniforms(std::int64_t count, std::uint64_t seed) {
  Generator generator(seed);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& v : values) v = static_cast<float>(generator.uniform());
  return values;
}

std::vector<std::int64_t> labels(std::int64_t count, std::int64_t classes, std::uint64_t seed) {
  Generator generator(seed);
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  for (std::int64_t& v : values) {
    v = static_cast<std::int64_t>(generator.bits() % static_cast<std::uint64_t>(classes));
  }
  return values;
}

}  // namespace bench
