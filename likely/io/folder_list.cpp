#include "likely/io/folder_list.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <string_view>

#include "likely/core/error.hpp"
#include "likely/io/input_file.hpp"
#include "likely/io/rename.hpp"

namespace likely::io::detail {

namespace fs = std::filesystem;

namespace {

// Each line ends with a character of code 0, which no path has:
//
//   likely-list 1 DEVICE NUMBER SECONDS NANOSECONDS   of the folder
//   sign NAME
//   folder PATH
//   file NUMBER SIZE SECONDS NANOSECONDS PATH
//   grows NUMBER FROM TO PATH                          sizes, with leading zeros: always of one length
constexpr std::string_view kKind = "likely-list 1";

std::string text_in(const fs::path& path) {
  try {
    const InputFile file("read_list", path);
    std::string text(file.size(), '\0');
    file.read(0, text.data(), text.size());
    return text;
  } catch (const Error&) {
    return "";
  }
}

// Takes "WORD " from the beginning.
bool take_word(std::string_view& line, std::string_view word) {
  if (!line.starts_with(word) || line.size() <= word.size() || line[word.size()] != ' ') return false;
  line.remove_prefix(word.size() + 1);
  return true;
}

// Takes numbers, with a space behind each but the last of a line.
template <std::size_t n>
bool take_numbers(std::string_view& line, std::array<std::uint64_t, n>& numbers) {
  for (std::uint64_t& number : numbers) {
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (error != std::errc()) return false;
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    if (line.empty()) continue;
    if (line.front() != ' ') return false;
    line.remove_prefix(1);
  }
  return true;
}

std::int64_t with_sign(std::uint64_t number) { return static_cast<std::int64_t>(number); }

bool read_folder(std::string_view line, FolderPrint& folder) {
  std::array<std::uint64_t, 4> numbers{};
  if (!take_word(line, kKind) || !take_numbers(line, numbers) || !line.empty()) return false;
  folder = {numbers[0], numbers[1], with_sign(numbers[2]), with_sign(numbers[3])};
  return true;
}

void read_line(std::string_view line, FolderList& list) {
  std::array<std::uint64_t, 4> file{};
  std::array<std::uint64_t, 3> grows{};
  if (take_word(line, "sign")) {
    list.signs.emplace(line);
  } else if (take_word(line, "folder")) {
    list.noted[line];
  } else if (take_word(line, "file")) {
    if (take_numbers(line, file) && !line.empty())
      list.noted[line].push_back({file[0], with_sign(file[1]), with_sign(file[2]), with_sign(file[3])});
  } else if (take_word(line, "grows") && take_numbers(line, grows) && !line.empty()) {
    for (const std::uint64_t size : {grows[1], grows[2]})
      list.noted[line].push_back({grows[0], with_sign(size), 0, FilePrint::kAnyTime});
  }
}

}  // namespace

std::optional<FolderList> read_list(const fs::path& file) {
  const std::string text = text_in(file);
  FolderList list;
  std::size_t start = 0;
  for (std::size_t end = text.find('\0'); end != text.npos; end = text.find('\0', start)) {
    const std::string_view line = std::string_view(text).substr(start, end - start);
    if (start != 0) {
      read_line(line, list);
    } else if (!read_folder(line, list.folder)) {
      return std::nullopt;
    }
    start = end + 1;
  }
  if (start == 0) return std::nullopt;
  return list;
}

int ListWriter::begin(const fs::path& file, const FolderPrint& folder, const std::set<std::string>& signs) {
  end();
  file_ = away_from_standard_streams(
      open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  if (file_ < 0) return errno;
  std::string text =
      fmt::format("{} {} {} {} {}", kKind, folder.device, folder.number, folder.seconds, folder.nanoseconds);
  text += '\0';
  for (const std::string& sign : signs) (text += "sign " + sign) += '\0';
  return append(text);
}

int ListWriter::note(const Noted& noted) {
  std::string text;
  for (const auto& [inside, prints] : noted) {
    if (prints.empty()) (text += "folder " + inside.string()) += '\0';
    for (const FilePrint& print : prints) {
      text += fmt::format("file {} {} {} {} {}", print.number, print.size, print.seconds, print.nanoseconds,
                          inside.string());
      text += '\0';
    }
  }
  return append(text);
}

int ListWriter::note_growing(const fs::path& inside, std::uint64_t number, std::int64_t from,
                             std::int64_t to) {
  std::string text = fmt::format("grows {:020} {:020} {:020} {}", number, from, to, inside.string());
  text += '\0';
  const auto [place, is_new] = growing_.try_emplace(inside, size_);
  if (!is_new) return write_at(place->second, text);
  return append(text);
}

int ListWriter::append(const std::string& text) {
  const int error = write_at(size_, text);
  if (error == 0) size_ += static_cast<std::int64_t>(text.size());
  return error;
}

int ListWriter::write_at(std::int64_t place, const std::string& text) const {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written =
        pwrite(file_, text.data() + done, text.size() - done, place + static_cast<std::int64_t>(done));
    if (written >= 0) {
      done += static_cast<std::size_t>(written);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

int ListWriter::sync() const { return fsync(file_) == 0 ? 0 : errno; }

void ListWriter::end() {
  if (file_ >= 0) close(file_);
  file_ = -1;
  size_ = 0;
  growing_.clear();
}

}  // namespace likely::io::detail
