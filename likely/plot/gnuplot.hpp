// Drawing with gnuplot. Internal to plot/.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace likely::plot {

// Far longer than any picture takes: what has not ended by then never will.
inline constexpr double kMostSeconds = 120.0;

// Keeps `script` as path.gp and lets gnuplot draw path.svg and path.png, each of which appears whole or not
// at all. gnuplot runs in a folder of its own and never sees the path but for the name of the picture. False
// if there is no gnuplot. Refuses a name with control characters or none at all, a folder that cannot be
// written. Throws GnuplotFailed where the picture does not become whole, takes longer than so many seconds,
// or gnuplot fails, with what it has to say or how it ended; DrawingStopped where `stop` says true meanwhile.
bool draw(const std::filesystem::path& path, const std::string& script, int width, int height,
          double most_seconds = kMostSeconds, const std::function<bool()>& stop = {});

}  // namespace likely::plot
