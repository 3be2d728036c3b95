#include "likely/plot/gnuplot.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

#include "likely/core/error.hpp"
#include "likely/core/printable.hpp"
#include "likely/io/atomic_file.hpp"
#include "likely/io/made_record.hpp"
#include "likely/io/path_kind.hpp"
#include "likely/io/text.hpp"
#include "likely/io/workshop.hpp"
#include "likely/plot/drawing_errors.hpp"
#include "likely/plot/fonts.hpp"
#include "likely/plot/gnuplot_text.hpp"
#include "likely/plot/run_program.hpp"

namespace likely::plot {

namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

constexpr const char* kCaller = "Figure::save";

struct Kind {
  std::string_view ending, terminal;
  bool needs_fonts;      // here; else where it is looked at
  std::string_view end;  // how a whole picture ends
};
constexpr std::array kKinds{Kind{".svg", "svg", false, "</svg>\n\n"sv},
                            Kind{".png", "pngcairo", true, "\0\0\0\0IEND\xae\x42\x60\x82"sv}};

// Beside the picture only where there is no other place: what is killed should leave nothing there.
void open_workshop(io::detail::Workshop& workshop, const fs::path& beside) {
  std::error_code failed;
  const fs::path usual = fs::temp_directory_path(failed);
  if (!failed && workshop.make(usual) == 0) return;
  const int error = workshop.make(beside);
  if (error == 0) return;
  refuse(kCaller, fmt::format("cannot make a folder to draw in, neither in {} nor in {}: {}", usual.string(),
                              beside.string(), std::generic_category().message(error)));
}

void check_name(const fs::path& path) {
  const std::string name = path.filename().string();
  if (name.empty() || name == "." || name == "..")
    refuse(kCaller, fmt::format("\"{}\" does not name a picture", path.string()));
  if (printable(name) != name || name.find_first_of("\n\t") != std::string::npos)
    refuse(kCaller,
           fmt::format("a picture cannot be called \"{}\": the name must be plain text", printable(name)));
}

void make_folder(const fs::path& folder) {
  try {
    io::make_folders(folder);
  } catch (const fs::filesystem_error& error) {
    refuse(kCaller, fmt::format("cannot make the folder {}: {}", folder.string(), error.code().message()));
  }
}

// A complaint of gnuplot is spread over lines, with marks below what it is about.
std::string on_one_line(const std::string& said) {
  std::string line;
  for (const char c : said) {
    const bool blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (!blank) line += c;
    if (blank && !line.empty() && line.back() != ' ') line += ' ';
  }
  if (line.ends_with(' ')) line.pop_back();
  return line;
}

[[noreturn]] void blame_gnuplot(const std::string& message) {
  throw GnuplotFailed(fmt::format("[{}] {}", kCaller, message));
}

// What it said, or else how it ended.
std::string reason_of(const Ended& ended) {
  const std::string said = on_one_line(ended.said);
  if (!said.empty()) return said;
  if (ended.signal == 0) return fmt::format("it said nothing and ended with exit code {}", ended.code);
  return fmt::format("it said nothing and was ended by signal {} ({})", ended.signal,
                     strsignal(ended.signal));
}

// gnuplot does not say whether the disk was full.
std::string whole_picture(const fs::path& file, const Kind& kind) {
  std::error_code failed;
  if (!fs::is_regular_file(file, failed)) blame_gnuplot("gnuplot drew no picture");
  std::string bytes = io::read_text(file);
  if (!bytes.ends_with(kind.end))
    blame_gnuplot(fmt::format("gnuplot left a {} picture that is not whole", kind.ending.substr(1)));
  return bytes;
}

}  // namespace

bool draw(const fs::path& path, const std::string& script, int width, int height, double most_seconds,
          const std::function<bool()>& stop) {
  if (width < 50 || height < 50 || width > 20000 || height > 20000) {
    refuse(kCaller,
           fmt::format("a picture of {} x {} is not from 50 to 20000 in both directions", width, height));
  }
  check_name(path);
  io::path_exists(path.string() + ".svg");  // refuses a path that is too long
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  make_folder(folder);

  io::detail::Workshop workshop;
  open_workshop(workshop, folder);
  const std::string name = path.filename().string();
  std::string text = "# gnuplot draws the picture again if it is given this file.\nset encoding utf8\n";
  for (const Kind& kind : kKinds) {
    text += fmt::format(
        "set terminal {} size {},{} font 'DejaVu Sans,11' background rgb 'white' noenhanced\n"
        "set output {}\n{}unset output\n",
        kind.terminal, width, height, quoted_file(name + std::string(kind.ending)),
        kind.needs_fonts ? with_known_letters(script, workshop.path()) : script);
  }
  io::write_file(path.string() + ".gp", text);
  io::write_file(workshop.path() / "draw.gp", text);
  const Ended ended = run_program({"gnuplot", "-d", "./draw.gp"}, workshop.path(), most_seconds, stop);
  if (!ended.found) return false;
  if (ended.stopped) throw DrawingStopped(fmt::format("[{}] interrupted while gnuplot drew", kCaller));
  if (ended.too_long) blame_gnuplot(fmt::format("gnuplot had not ended after {:g} s", most_seconds));
  if (ended.code != 0) blame_gnuplot("gnuplot refused the picture: " + reason_of(ended));
  std::array<std::string, kKinds.size()> pictures;
  for (std::size_t i = 0; i < kKinds.size(); ++i)
    pictures[i] = whole_picture(workshop.path() / (name + std::string(kKinds[i].ending)), kKinds[i]);
  for (std::size_t i = 0; i < kKinds.size(); ++i)
    io::write_file(path.string() + std::string(kKinds[i].ending), pictures[i]);
  return true;
}

}  // namespace likely::plot
