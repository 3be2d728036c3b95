// PictureFolder: the pictures of a run folder.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "likely/plot/figure.hpp"

namespace likely::runs {

// What came of drawing.
struct Drawn {
  std::vector<std::filesystem::path> pictures{};  // without their endings: each is there as .png and .svg
  std::vector<std::string> warnings{};            // which could not be drawn, and why
};

// Saves pictures into <run folder>/figures and remembers them. A picture that cannot be drawn is a warning
// and never an exception: what was learned must not be lost for it. Where a training catches Ctrl-C, the one
// that is being drawn is given up and no further one is drawn once it has come.
//
//   pictures.add("filters", figure);   // figures/filters.png, .svg and .gp
class PictureFolder {
 public:
  explicit PictureFolder(const std::filesystem::path& run_folder) : folder_(run_folder / "figures") {}

  void add(const std::string& name, const plot::Figure& figure, int width = 720, int height = 480);
  // Several in one picture, row by row.
  void add_panels(const std::string& name, const std::vector<plot::Figure>& figures, int columns,
                  int width = 960, int height = 640);
  // Calls something that prepares and adds pictures. What it throws is a warning, too; `what` says of what,
  // such as "picture \"fit\"".
  void attempt(const std::string& what, const std::function<void()>& draw);

  // Those drawn so far, and what went wrong. That there is no gnuplot is one warning for all of them.
  const Drawn& drawn() const { return drawn_; }
  // For commands that do nothing but draw: the pictures. Refuses, naming each that is missing. Without
  // gnuplot, or where it failed, it throws a std::runtime_error that is no likely::Error: this is the
  // machine's fault and nobody's input. Throws Cancelled where Ctrl-C came before all were drawn.
  const std::vector<std::filesystem::path>& all_pictures() const;

 private:
  void stop();
  void note(const std::string& name, bool is_drawn);

  std::filesystem::path folder_;
  Drawn drawn_;
  bool gnuplot_ = true;
  bool gnuplot_failed_ = false;
  bool interrupted_ = false;
};

// Adds the warnings of one of several runs, each with `of` in front, such as "seed 3: ". That there is no
// gnuplot is true of all runs, and said once.
void gather_warnings(std::vector<std::string>& all, const std::string& of,
                     const std::vector<std::string>& warnings);

}  // namespace likely::runs
