// Album: the pictures of a run folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "likely/plot/figure.hpp"

namespace likely::models {

// Saves pictures into <run folder>/figures and remembers them.
//
//   album.add("filters", figure);   // figures/filters.png, .svg and .gp
class Album {
 public:
  explicit Album(const std::filesystem::path& run_folder) : folder_(run_folder / "figures") {}

  void add(const std::string& name, const plot::Figure& figure, int width = 720, int height = 480);
  // Several in one picture, row by row.
  void add_panels(const std::string& name, const std::vector<plot::Figure>& figures, int columns,
                  int width = 960, int height = 640);

  // Those drawn so far, without their endings. Empty where there is no gnuplot.
  const std::vector<std::filesystem::path>& pictures() const { return pictures_; }

 private:
  std::filesystem::path folder_;
  std::vector<std::filesystem::path> pictures_;
};

}  // namespace likely::models
