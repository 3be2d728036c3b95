#include "likely/models/recipe/album.hpp"

namespace likely::models {

void Album::add(const std::string& name, const plot::Figure& figure, int width, int height) {
  if (figure.save(folder_ / name, width, height)) pictures_.push_back(folder_ / name);
}

void Album::add_panels(const std::string& name, const std::vector<plot::Figure>& figures, int columns,
                       int width, int height) {
  if (plot::save_panels(folder_ / name, figures, columns, width, height)) pictures_.push_back(folder_ / name);
}

}  // namespace likely::models
