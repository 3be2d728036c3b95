#include "likely/models/recipe/album.hpp"

#include <fmt/format.h>

#include <exception>

#include "likely/core/error.hpp"

namespace likely::models {

void Album::attempt(const std::string& what, const std::function<void()>& draw) {
  try {
    draw();
  } catch (const std::exception& error) {
    std::string why = error.what();
    while (!why.empty() && (why.back() == '\n' || why.back() == ' ')) why.pop_back();
    drawn_.warnings.push_back(fmt::format("the {} could not be drawn: {}", what, why));
  }
}

void Album::add(const std::string& name, const plot::Figure& figure, int width, int height) {
  attempt(fmt::format("picture \"{}\"", name), [&] {
    if (figure.save(folder_ / name, width, height)) drawn_.pictures.push_back(folder_ / name);
  });
}

void Album::add_panels(const std::string& name, const std::vector<plot::Figure>& figures, int columns,
                       int width, int height) {
  attempt(fmt::format("picture \"{}\"", name), [&] {
    if (plot::save_panels(folder_ / name, figures, columns, width, height))
      drawn_.pictures.push_back(folder_ / name);
  });
}

const std::vector<std::filesystem::path>& Album::all_pictures() const {
  std::string all;
  for (const std::string& warning : drawn_.warnings) all += (all.empty() ? "" : "\n") + warning;
  if (!all.empty()) throw Error(all);
  return drawn_.pictures;
}

}  // namespace likely::models
