// What the figures need of gnuplot. Internal to plot/.
#pragma once

#include <filesystem>
#include <string>

namespace likely::plot {

// A string as gnuplot reads it, whatever is in it.
std::string quoted(const std::string& text);

// Keeps `script` as path.gp and lets gnuplot draw path.svg and path.png. False if there is no gnuplot.
// Refuses a folder that cannot be written, and passes on what gnuplot has to say if it fails.
bool draw(const std::filesystem::path& path, const std::string& script, int width, int height);

}  // namespace likely::plot
