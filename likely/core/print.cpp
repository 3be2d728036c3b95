#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <vector>

#include "likely/core/strided_copy.hpp"
#include "likely/core/tensor.hpp"

namespace likely {

namespace {

constexpr std::int64_t kSummarizeAbove = 1000;
constexpr std::int64_t kEdgeItems = 3;
constexpr int kPrecision = 8;

// Chooses, for all shown numbers together, how one of them is written; then writes each at the same width.
class NumberStyle {
 public:
  NumberStyle(std::vector<double> values, DType dtype) : dtype_(dtype) {
    if (is_floating(dtype)) choose_notation(values);
    for (const double v : values) width_ = std::max(width_, write(v).size());
  }

  std::string padded(double value) const { return fmt::format("{:>{}}", write(value), width_); }

 private:
  void choose_notation(const std::vector<double>& values) {
    double largest = 0.0;
    double smallest = INFINITY;
    for (const double v : values) {
      if (!std::isfinite(v) || v == 0.0) continue;
      largest = std::max(largest, std::abs(v));
      smallest = std::min(smallest, std::abs(v));
    }
    scientific_ = largest >= 1e8 || (largest > 0 && (smallest < 1e-4 || largest / smallest > 1e3));
    // Plain numbers read better; NumPy's rule turns to exponents only where digits would be lost.
    if (largest < 1e8 && smallest >= 1e-4) scientific_ = false;
    for (const double v : values) {
      if (std::isfinite(v)) digits_ = std::max(digits_, needed_digits(v));
    }
  }

  int needed_digits(double value) const {
    // The shortest text that reads back as the same element, capped at 8 digits.
    for (int digits = 0; digits < kPrecision; ++digits) {
      if (reads_back(
              scientific_ ? fmt::format("{:.{}e}", value, digits) : fmt::format("{:.{}f}", value, digits),
              value)) {
        return digits;
      }
    }
    return kPrecision;
  }

  bool reads_back(const std::string& text, double value) const {
    if (dtype_ == DType::f32) return std::stof(text) == static_cast<float>(value);
    return std::stod(text) == value;
  }

  std::string write(double value) const {
    if (dtype_ == DType::boolean) return value != 0.0 ? "True" : "False";
    if (dtype_ == DType::i64) return fmt::format("{:.0f}", value);
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    if (scientific_) return fmt::format("{:.{}e}", value, digits_);
    return digits_ == 0 ? fmt::format("{:.0f}.", value) : fmt::format("{:.{}f}", value, digits_);
  }

  DType dtype_;
  bool scientific_ = false;
  int digits_ = 0;
  std::size_t width_ = 0;
};

class Writer {
 public:
  explicit Writer(const Tensor& tensor)
      : tensor_(tensor), summarize_(tensor.size() > kSummarizeAbove), style_(shown(), tensor.dtype()) {}

  std::string text() const {
    std::string out;
    write(0, 0, out);
    return out;
  }

 private:
  // Calls visit(i) for each index shown along an axis, and gap() once where some are left out.
  template <class Visit, class Gap>
  void along(int axis, Visit visit, Gap gap) const {
    const std::int64_t n = tensor_.shape()[axis];
    const bool shorten = summarize_ && n > 2 * kEdgeItems;
    for (std::int64_t i = 0; i < n; ++i) {
      if (shorten && i == kEdgeItems) {
        gap();
        i = n - kEdgeItems;
      }
      visit(i);
    }
  }

  void collect(int axis, std::int64_t position, std::vector<double>& values) const {
    if (axis == tensor_.rank()) {
      values.push_back(detail::element(tensor_.raw(), tensor_.dtype(), position));
      return;
    }
    const std::int64_t step = tensor_.strides()[axis];
    along(
        axis, [&](std::int64_t i) { collect(axis + 1, position + i * step, values); }, [] {});
  }

  std::vector<double> shown() const {
    std::vector<double> values;
    if (tensor_.size() > 0) collect(0, 0, values);
    return values;
  }

  void write(int axis, std::int64_t position, std::string& out) const {
    if (axis == tensor_.rank()) {
      out += style_.padded(detail::element(tensor_.raw(), tensor_.dtype(), position));
      return;
    }
    const bool innermost = axis == tensor_.rank() - 1;
    const std::string separator =
        innermost ? " "
                  : std::string(static_cast<std::size_t>(tensor_.rank() - axis - 1), '\n') +
                        std::string(static_cast<std::size_t>(axis + 1), ' ');
    bool first = true;
    const auto separate = [&] {
      if (!first) out += separator;
      first = false;
    };
    out += "[";
    const std::int64_t step = tensor_.strides()[axis];
    along(
        axis,
        [&](std::int64_t i) {
          separate();
          write(axis + 1, position + i * step, out);
        },
        [&] {
          separate();
          out += "...";
        });
    out += "]";
  }

  const Tensor& tensor_;
  bool summarize_;
  NumberStyle style_;
};

}  // namespace

std::string to_string(const Tensor& tensor) {
  if (!tensor.defined()) return "(empty tensor)";
  if (tensor.size() == 0) {
    return tensor.rank() == 1
               ? "[]"
               : fmt::format("[] with shape {} of {}", tensor.shape().string(), name_of(tensor.dtype()));
  }
  return Writer(tensor).text();
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) { return out << to_string(tensor); }

}  // namespace likely
