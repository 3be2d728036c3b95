// A network in words: what a Network is made from, and what it can be written back to.
//
//   conv2d 16 3 padding=1, batch_norm relu=true, max_pool 2, flatten, dropout 0.2, linear 10
//
// Layers are separated by commas. The settings that a layer needs follow its name in a fixed order, the
// others as name=value; sizes of two axes that differ are 3x1 (height, width). A residual has its layers in
// brackets, and those of its shortcut, if it needs one, in a second pair: residual [conv2d 32 3 padding=1]
// [conv2d 32 1]. docs/layers.md lists the layers and their settings.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace likely::nn {

struct LayerDescription;
using Description = std::vector<LayerDescription>;

// One layer: its name, its settings by their names, and, of a residual, what it goes around.
struct LayerDescription {
  std::string layer;
  std::vector<std::pair<std::string, std::string>> settings{};
  Description body{};
  Description shortcut{};

  friend bool operator==(const LayerDescription&, const LayerDescription&) = default;
};

// So deep may residuals lie in each other.
inline constexpr int kDeepestDescription = 32;

// Refuses what is not of the form above, a layer that does not exist (with the nearest that does), and more
// settings in front than the layer has there, by the number of the layer: 0 is the first, as in the names of
// its parts. Whether settings mean something is asked when the network is made.
Description read_description(std::string_view text);

// The text of it, which reads back as the same.
std::string text_of(const Description& description);

}  // namespace likely::nn
