#include "likely/io/byte_stream.hpp"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "likely/core/error.hpp"
#include "likely/io/input_file.hpp"

namespace likely::io {

namespace {

gzFile handle(void* file) { return static_cast<gzFile>(file); }

// zlib says "<fd:4>: incorrect data check", and who reads has already named the file.
std::string without_name(std::string_view reason) {
  const std::size_t colon = reason.find(">: ");
  return std::string(colon == std::string_view::npos ? reason : reason.substr(colon + 3));
}

}  // namespace

ByteStream::ByteStream(std::string reader, const std::filesystem::path& path)
    : reader_(std::move(reader)), path_(path.string()) {
  const InputFile opened(reader_, path);
  const std::uint64_t size = opened.size();
  const int descriptor = opened.duplicate();
  file_ = gzdopen(descriptor, "rb");
  if (file_ == nullptr) {
    close(descriptor);
    refuse("cannot be opened");
  }
  gzbuffer(handle(file_), static_cast<unsigned>(std::clamp<std::uint64_t>(size, 1U << 13, 1U << 17)));
  packed_ = gzdirect(handle(file_)) == 0;
  most_ = packed_ ? size * kLargestDeflateRatio : size;
}

ByteStream::~ByteStream() {
  if (file_ != nullptr) gzclose_r(handle(file_));
}

std::size_t ByteStream::read(void* to, std::size_t count) {
  std::size_t done = 0;
  while (done < count) {
    constexpr std::size_t kMost = std::size_t{1} << 30;
    const int got = gzread(handle(file_), static_cast<char*>(to) + done,
                           static_cast<unsigned>(std::min(count - done, kMost)));
    int error = Z_OK;
    const char* reason = gzerror(handle(file_), &error);
    if (got < 0 || error == Z_BUF_ERROR) {
      refuse(error == Z_BUF_ERROR
                 ? "the compressed data end too early, after byte " +
                       std::to_string(place_ + static_cast<std::uint64_t>(std::max(got, 0)))
                 : "damaged after byte " + std::to_string(place_) + ": " + without_name(reason));
    }
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
    place_ += static_cast<std::uint64_t>(got);
  }
  return done;
}

void ByteStream::read_all(void* to, std::size_t count) {
  const std::uint64_t start = place_;
  const std::size_t got = read(to, count);
  if (got == count) return;
  refuse("the data end at byte " + std::to_string(place_) + ", " + std::to_string(count) +
         " bytes were expected from byte " + std::to_string(start) + " on");
}

void ByteStream::refuse(const std::string& message) const { likely::refuse(reader_, path_ + ": " + message); }

}  // namespace likely::io
