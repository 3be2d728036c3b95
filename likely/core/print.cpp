#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "likely/core/dispatch.hpp"
#include "likely/core/strided_copy.hpp"
#include "likely/core/tensor.hpp"

// The rules (which notation, how many digits, where a line breaks) are those of NumPy's default print
// options.

namespace likely {

namespace {

constexpr std::int64_t kSummarizeAbove = 1000;
constexpr std::int64_t kEdgeItems = 3;
constexpr int kPrecision = 8;
constexpr std::size_t kLineWidth = 75;

std::string spaces(std::size_t n) { return std::string(n, ' '); }

template <class Number, class... Format>
std::string chars(Number value, Format... format) {
  char buffer[512];
  const std::to_chars_result end = std::to_chars(buffer, buffer + sizeof buffer, value, format...);
  return std::string(buffer, end.ptr);
}

// A number as text, in the parts that are aligned on their own: "-1.25e-07" is {"-1", "25", "-07"}.
struct Parts {
  std::string whole;
  std::string fraction;
  std::string exponent;
};

Parts split_text(std::string_view text) {
  const std::size_t e = text.find('e');
  const std::string_view number = text.substr(0, e);
  const std::size_t point = number.find('.');
  Parts parts;
  parts.whole = number.substr(0, point);
  if (point != std::string_view::npos) parts.fraction = number.substr(point + 1);
  while (!parts.fraction.empty() && parts.fraction.back() == '0') parts.fraction.pop_back();
  if (e != std::string_view::npos) parts.exponent = text.substr(e + 1);
  return parts;
}

// The shortest text that reads back as the same element, or kPrecision digits behind the point if that is
// shorter.
template <class Float>
Parts split_number(Float value, std::chars_format format) {
  Parts full = split_text(chars(value, format));
  if (full.fraction.size() <= kPrecision) return full;
  return split_text(chars(value, format, kPrecision));
}

// How floating numbers are written, chosen for all shown ones together.
template <class Float>
class FloatingStyle {
 public:
  explicit FloatingStyle(const std::vector<Float>& values) {
    choose_notation(values);
    for (const Float v : values) {
      if (!std::isfinite(v)) continue;
      const Parts parts = split_number(v, notation_);
      left_ = std::max(left_, parts.whole.size());
      digits_ = std::max(digits_, parts.fraction.size());
      exponent_ = std::max(exponent_, parts.exponent.size());
    }
    for (const Float v : values) {
      if (std::isfinite(v)) continue;
      const std::size_t length = std::isinf(v) && v < 0 ? 4 : 3;
      width_ = std::max(width_, length);
    }
    width_ = std::max(width_, left_ + right());
  }

  std::string operator()(Float value) const {
    std::string text = std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    if (std::isfinite(value)) {
      text = notation_ == std::chars_format::scientific ? scientific(value) : fixed(value);
    }
    return spaces(width_ - text.size()) + text;
  }

 private:
  void choose_notation(const std::vector<Float>& values) {
    Float largest = 0;
    Float smallest = INFINITY;
    for (const Float v : values) {
      if (!std::isfinite(v) || v == 0) continue;
      largest = std::max(largest, std::abs(v));
      smallest = std::min(smallest, std::abs(v));
    }
    const bool scientific = largest > 0 && (largest >= Float(1e8) || static_cast<double>(smallest) < 1e-4 ||
                                            largest / smallest > Float(1000));
    notation_ = scientific ? std::chars_format::scientific : std::chars_format::fixed;
  }
  std::string fixed(Float value) const {
    const Parts parts = split_number(value, notation_);
    return parts.whole + "." + parts.fraction + spaces(digits_ - parts.fraction.size());
  }
  // Here all have the same number of digits, even those that would read back with fewer.
  std::string scientific(Float value) const {
    const std::string text = chars(value, notation_, static_cast<int>(digits_));
    const std::size_t e = text.find('e');
    const std::string exponent = text.substr(e + 2);
    return text.substr(0, e) + (digits_ == 0 ? "." : "") + text.substr(e, 2) +
           std::string(exponent_ - 1 - exponent.size(), '0') + exponent;
  }
  std::size_t right() const {
    return 1 + digits_ + (notation_ == std::chars_format::scientific ? 1 + exponent_ : 0);
  }

  std::chars_format notation_ = std::chars_format::fixed;
  std::size_t left_ = 0;
  std::size_t digits_ = 0;
  std::size_t exponent_ = 0;
  std::size_t width_ = 0;
};

class IntegerStyle {
 public:
  explicit IntegerStyle(const std::vector<std::int64_t>& values) {
    for (const std::int64_t v : values) width_ = std::max(width_, chars(v).size());
  }
  std::string operator()(std::int64_t value) const {
    const std::string text = chars(value);
    return spaces(width_ - text.size()) + text;
  }

 private:
  std::size_t width_ = 0;
};

class BoolStyle {
 public:
  explicit BoolStyle(const std::vector<bool>&) {}
  std::string operator()(bool value) const { return value ? " True" : "False"; }
};

// Brackets, line breaks and ellipses around the elements.
template <class T, class Style>
class Writer {
 public:
  explicit Writer(const Tensor& tensor)
      : tensor_(tensor), summarize_(tensor.size() > kSummarizeAbove), style_(shown()) {}

  std::string text() const { return write(0, 0, " ", kLineWidth); }

 private:
  T element(std::int64_t position) const { return tensor_.data<T>()[position]; }

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

  void collect(int axis, std::int64_t position, std::vector<T>& values) const {
    if (axis == tensor_.rank()) {
      values.push_back(element(position));
      return;
    }
    const std::int64_t step = tensor_.strides()[axis];
    along(
        axis, [&](std::int64_t i) { collect(axis + 1, position + i * step, values); }, [] {});
  }

  std::vector<T> shown() const {
    std::vector<T> values;
    collect(0, 0, values);
    return values;
  }

  // Elements one after the other, on new lines where `width` is exceeded.
  std::string write_row(int axis, std::int64_t position, const std::string& indent, std::size_t width) const {
    std::string done;
    std::string line = indent;
    bool first = true;
    const auto put = [&](const std::string& word) {
      if (!first) line += " ";
      first = false;
      if (line.size() + word.size() > width - 1 && line.size() > indent.size()) {
        line.erase(line.find_last_not_of(' ') + 1);
        done += line + "\n";
        line = indent;
      }
      line += word;
    };
    const std::int64_t step = tensor_.strides()[axis];
    along(
        axis, [&](std::int64_t i) { put(style_(element(position + i * step))); }, [&] { put("..."); });
    return done + line;
  }

  std::string write_blocks(int axis, std::int64_t position, const std::string& indent,
                           std::size_t width) const {
    const std::string separator(static_cast<std::size_t>(tensor_.rank() - axis - 1), '\n');
    std::string text;
    const auto put = [&](const std::string& block) {
      if (!text.empty()) text += separator;
      text += indent + block;
    };
    const std::int64_t step = tensor_.strides()[axis];
    along(
        axis, [&](std::int64_t i) { put(write(axis + 1, position + i * step, indent + " ", width - 1)); },
        [&] { put("..."); });
    return text;
  }

  std::string write(int axis, std::int64_t position, const std::string& indent, std::size_t width) const {
    const std::string text = axis + 1 == tensor_.rank() ? write_row(axis, position, indent, width)
                                                        : write_blocks(axis, position, indent, width);
    return "[" + text.substr(indent.size()) + "]";
  }

  const Tensor& tensor_;
  bool summarize_;
  Style style_;
};

// The shortest digits that read back as the same number, with zeros up to the point.
template <class Float>
std::string shortest_fixed(Float value) {
  std::string text = chars(value, std::chars_format::fixed);
  if (text.find('.') != std::string::npos) return text;
  const Parts parts = split_text(chars(value, std::chars_format::scientific));
  const std::string digits = parts.whole + parts.fraction;
  const auto behind = static_cast<std::size_t>(std::stoi(parts.exponent));
  return digits + std::string(behind - parts.fraction.size(), '0');
}

// One number is written in full, whatever the precision.
template <class Float>
std::string write_scalar(Float value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  const double size = std::abs(static_cast<double>(value));
  if (size != 0.0 && (size >= 1e16 || size < 1e-4)) {
    return chars(value, std::chars_format::scientific);
  }
  const std::string text = shortest_fixed(value);
  return text.find('.') == std::string::npos ? text + ".0" : text;
}

// The first argument says what the elements are.
template <class Float>
std::string write(Float, const Tensor& tensor) {
  if (tensor.rank() == 0) return write_scalar(*tensor.data<Float>());
  return Writer<Float, FloatingStyle<Float>>(tensor).text();
}
std::string write(std::int64_t, const Tensor& tensor) {
  if (tensor.rank() == 0) return chars(*tensor.data<std::int64_t>());
  return Writer<std::int64_t, IntegerStyle>(tensor).text();
}
std::string write(bool, const Tensor& tensor) {
  if (tensor.rank() == 0) return *tensor.data<bool>() ? "True" : "False";
  return Writer<bool, BoolStyle>(tensor).text();
}

}  // namespace

std::string to_string(const Tensor& tensor) {
  if (!tensor.defined()) return "(empty tensor)";
  if (tensor.size() == 0) return "[]";
  return detail::with_type("to_string", tensor.dtype(), [&](auto zero) { return write(zero, tensor); });
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) { return out << to_string(tensor); }

}  // namespace likely
