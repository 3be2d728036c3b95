// Drawing with gnuplot. Internal to plot/.
#pragma once

#include <filesystem>
#include <string>

namespace likely::plot {

// Far longer than any picture takes: what has not ended by then never will.
inline constexpr double kMostSeconds = 120.0;

// Keeps `script` as path.gp and lets gnuplot draw path.svg and path.png, each of which appears whole or not
// at all. gnuplot runs in a folder of its own and never sees the path but for the name of the picture. False
// if there is no gnuplot. Refuses a name with control characters or none at all, a folder that cannot be
// written, a picture that did not become whole, and one that takes longer than so many seconds; and passes on
// what gnuplot has to say if it fails.
bool draw(const std::filesystem::path& path, const std::string& script, int width, int height,
          double most_seconds = kMostSeconds);

}  // namespace likely::plot
