#include "likely/runs/picture_folder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>

#include "likely/core/cancel.hpp"
#include "likely/core/error.hpp"
#include "likely/plot/drawing_errors.hpp"
#include "likely/train/interrupt.hpp"

namespace likely::runs {

void PictureFolder::attempt(const std::string& what, const std::function<void()>& draw) {
  const auto fail = [&](const std::exception& error) {
    drawn_.warnings.push_back(fmt::format("the {} could not be drawn: {}", what, error.what()));
  };
  try {
    if (train::detail::interrupt_arrived()) throw plot::DrawingStopped("");
    draw();
  } catch (const Cancelled&) {
    stop();
  } catch (const plot::DrawingStopped&) {
    stop();
  } catch (const plot::GnuplotFailed& error) {
    gnuplot_failed_ = true;
    fail(error);
  } catch (const std::exception& error) {
    fail(error);
  }
}

void PictureFolder::stop() {
  if (!std::exchange(interrupted_, true))
    drawn_.warnings.emplace_back("interrupted before all pictures were drawn");
}

void PictureFolder::add(const std::string& name, const plot::Figure& figure, int width, int height) {
  attempt(fmt::format("picture \"{}\"", name),
          [&] { note(name, figure.save(folder_ / name, width, height, train::detail::interrupt_arrived)); });
}

void PictureFolder::add_panels(const std::string& name, const std::vector<plot::Figure>& figures, int columns,
                               int width, int height) {
  attempt(fmt::format("picture \"{}\"", name), [&] {
    note(name, plot::save_panels(folder_ / name, figures, columns, width, height,
                                 train::detail::interrupt_arrived));
  });
}

void PictureFolder::note(const std::string& name, bool is_drawn) {
  if (is_drawn) {
    drawn_.pictures.push_back(folder_ / name);
  } else if (std::exchange(gnuplot_, false)) {
    drawn_.warnings.emplace_back(plot::kNoGnuplot);
  }
}

const std::vector<std::filesystem::path>& PictureFolder::all_pictures() const {
  if (interrupted_) throw Cancelled();
  const std::string all = fmt::format("{}", fmt::join(drawn_.warnings, "; "));
  if (!gnuplot_ || gnuplot_failed_) throw std::runtime_error(all);
  if (!all.empty()) throw Error(all);
  return drawn_.pictures;
}

void gather_warnings(std::vector<std::string>& all, const std::string& of,
                     const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    if (warning != plot::kNoGnuplot) {
      all.push_back(of + warning);
    } else if (std::find(all.begin(), all.end(), warning) == all.end()) {
      all.push_back(warning);
    }
  }
}

}  // namespace likely::runs
