// The settings of one layer of a description, read and written. Internal to nn/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "likely/core/error.hpp"
#include "likely/nn/description.hpp"
#include "likely/ops/convolution.hpp"
#include "likely/ops/extent.hpp"
#include "likely/ops/linear.hpp"
#include "likely/ops/upsample.hpp"

namespace likely::nn::detail {

// What is wrong with a layer of a description: "[network] layer 2.body.0 (conv2d): ...".
class DescriptionError : public Error {
 public:
  using Error::Error;
};
[[noreturn]] void refuse_layer(const std::string& place, std::string_view layer, const std::string& why,
                               Fault fault = Fault::input);

// What of a description a layer is made from. Every reader refuses what is missing without a default, and
// what is of another kind, and says what is allowed.
class SettingsReader {
 public:
  SettingsReader(std::string place, const LayerDescription& description)
      : place_(std::move(place)), description_(description) {}

  bool has(std::string_view name) const { return find(name) != nullptr; }
  std::int64_t whole(std::string_view name) const;
  std::int64_t whole(std::string_view name, std::int64_t otherwise) const;
  // From low to high, both ends included.
  std::int64_t whole(std::string_view name, std::int64_t otherwise, std::int64_t low,
                     std::int64_t high) const;
  double number(std::string_view name, double otherwise) const;
  double number(std::string_view name) const;
  bool flag(std::string_view name, bool otherwise) const;
  Extent2d extent(std::string_view name) const;
  Extent2d extent(std::string_view name, const Extent2d& otherwise) const;
  Scale2d scale(std::string_view name) const;
  Activation activation(std::string_view name) const;  // none unless given
  // A number of zeros, or "same".
  Padding1d padding(std::string_view name) const;
  Padding2d padding2d(std::string_view name) const;

  [[noreturn]] void refuse(const std::string& why) const { refuse_layer(place_, description_.layer, why); }

 private:
  const std::string* find(std::string_view name) const;
  const std::string& text(std::string_view name) const;
  [[noreturn]] void refuse_value(std::string_view name, const std::string& allowed) const;

  std::string place_;
  const LayerDescription& description_;
};

// The other way round. What is as it would be without being given is left out; the layer's name is put in by
// whoever knows it.
class SettingsWriter {
 public:
  SettingsWriter& whole(const char* name, std::int64_t value);
  SettingsWriter& whole(const char* name, std::int64_t value, std::int64_t otherwise);
  SettingsWriter& number(const char* name, double value);
  SettingsWriter& number(const char* name, double value, double otherwise);
  SettingsWriter& flag(const char* name, bool value, bool otherwise);
  SettingsWriter& extent(const char* name, const Extent2d& value);
  SettingsWriter& extent(const char* name, const Extent2d& value, const Extent2d& otherwise);
  SettingsWriter& scale(const char* name, const Scale2d& value);
  SettingsWriter& word(const char* name, std::string_view value);

  LayerDescription done() { return std::move(description_); }

 private:
  LayerDescription description_;
};

}  // namespace likely::nn::detail
