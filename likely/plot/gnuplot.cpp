#include "likely/plot/gnuplot.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include "likely/core/error.hpp"
#include "likely/io/atomic_file.hpp"

namespace likely::plot {

namespace {

namespace fs = std::filesystem;

// The script for one kind of picture, whose file is `output`.
std::string with_terminal(const std::string& terminal, const std::string& output, const std::string& script,
                          int width, int height) {
  return fmt::format(
      "set terminal {} size {},{} font 'DejaVu Sans,11' background rgb 'white' noenhanced\n"
      "set output {}\n{}unset output\n",
      terminal, width, height, quoted(output), script);
}

// Exit code 127 means that there is no such program. What it says goes to `messages`.
int run_gnuplot(const fs::path& script, const fs::path& messages) {
  const pid_t child = fork();
  if (child < 0) refuse("Figure::save", fmt::format("cannot start gnuplot: {}", std::strerror(errno)));
  if (child == 0) {
    const int to = open(messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (to >= 0) {
      dup2(to, 1);
      dup2(to, 2);
    }
    execlp("gnuplot", "gnuplot", script.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += '\'';
    result += c == '\n' ? ' ' : c;
  }
  return result + "'";
}

bool draw(const fs::path& path, const std::string& script, int width, int height) {
  if (width < 50 || height < 50 || width > 20000 || height > 20000) {
    refuse("Figure::save",
           fmt::format("a picture of {} x {} is not from 50 to 20000 in both directions", width, height));
  }
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    refuse("Figure::save", fmt::format("cannot make the folder {}: {}", folder.string(), failed.message()));

  struct Kind {
    std::string_view ending, terminal;
  };
  constexpr Kind kKinds[] = {{".svg", "svg"}, {".png", "pngcairo"}};
  std::string kept = fmt::format("# gnuplot {}.gp draws the picture again.\n", path.filename().string());
  std::string now;
  for (const auto& [ending, terminal] : kKinds) {
    const std::string name = path.filename().string() + std::string(ending);
    kept += with_terminal(std::string(terminal), name, script, width, height);
    now += with_terminal(std::string(terminal), path.string() + std::string(ending) + ".part", script, width,
                         height);
  }
  io::write_file(path.string() + ".gp", kept);

  const fs::path temporary = path.string() + ".gp.part";
  const fs::path messages = path.string() + ".log.part";
  io::write_file(temporary, now);
  const int status = run_gnuplot(temporary, messages);
  const std::string said = text_of(messages);
  fs::remove(temporary, failed);
  fs::remove(messages, failed);
  if (status == 127) return false;
  for (const auto& [ending, terminal] : kKinds) {
    const fs::path picture = path.string() + std::string(ending);
    if (status == 0) {
      fs::rename(picture.string() + ".part", picture);
    } else {
      fs::remove(picture.string() + ".part", failed);
    }
  }
  if (status != 0) refuse("Figure::save", "gnuplot refused the picture: " + said);
  return true;
}

}  // namespace likely::plot
