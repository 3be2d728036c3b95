#include "likely/core/place.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace likely {

namespace {

// "Linear" for likely::nn::Linear, "Sequential" for likely::nn::Sequential<...>.
std::string short_name(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free);
  std::string name = status == 0 ? text.get() : type.name();
  name = name.substr(0, name.find('<'));
  const std::size_t colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

}  // namespace

LayerError::LayerError(const std::string& reason, const void* layer, const std::type_info& type)
    : Error(reason), reason_(reason), layer_(layer), type_(&type) {}

LayerError::LayerError(const LayerError& unnamed, const std::string& text)
    : Error(text), reason_(unnamed.reason_), layer_(unnamed.layer_), type_(unnamed.type_) {}

LayerError LayerError::named(const std::string& path) const {
  return {*this, reason_ + ", in layer \"" + path + "\" (" + short_name(*type_) + ")"};
}

}  // namespace likely
