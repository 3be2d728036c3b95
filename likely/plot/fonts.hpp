// Which characters a picture of pixels can show. Internal to plot/.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace likely::plot {

// A script of gnuplot in which characters that no installed font has are written as their codes, such as
// \u4f53: drawn without a font, they would cover the whole picture. Of more than two in a row the first two
// are shown. `folder` is one to run fc-list in; without that program, letters of Europe are taken to be
// there, and nothing else.
std::string with_known_letters(std::string_view script, const std::filesystem::path& folder);

}  // namespace likely::plot
