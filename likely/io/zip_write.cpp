#include <zlib.h>

#include <utility>

#include "likely/core/error.hpp"
#include "likely/io/zip.hpp"

namespace likely::io {

namespace {

constexpr std::uint64_t kMost = 0xFFFFFFFE;  // of 32 bits: the last number means "elsewhere"

void put(std::string& to, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to += static_cast<char>(value >> (8 * i) & 0xFF);
}

Bytef* bytes_of(std::string_view text) { return reinterpret_cast<Bytef*>(const_cast<char*>(text.data())); }

std::uint32_t checksum_of(std::string_view first, std::string_view second) {
  const uLong start = crc32_z(crc32_z(0, nullptr, 0), bytes_of(first), first.size());
  return static_cast<std::uint32_t>(crc32_z(start, bytes_of(second), second.size()));
}

std::string deflate_all(std::string_view first, std::string_view second) {
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, static_cast<uLong>(first.size() + second.size())), '\0');
  stream.next_out = bytes_of(packed);
  stream.avail_out = static_cast<uInt>(packed.size());
  stream.next_in = bytes_of(first);
  stream.avail_in = static_cast<uInt>(first.size());
  deflate(&stream, Z_NO_FLUSH);
  stream.next_in = bytes_of(second);
  stream.avail_in = static_cast<uInt>(second.size());
  deflate(&stream, Z_FINISH);
  packed.erase(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace

ZipWriter::ZipWriter(std::string writer, const std::filesystem::path& path)
    : writer_(std::move(writer)), file_(path) {}

void ZipWriter::add(const std::string& name, std::string_view first, std::string_view second, bool deflate) {
  if (!names_.insert(name).second) refuse(writer_, "two members are named \"" + name + "\"");
  const std::uint64_t unpacked = first.size() + second.size();
  const std::uint64_t place = file_.size();
  const std::string packed = deflate && unpacked < kMost ? deflate_all(first, second) : std::string();
  const std::uint64_t size = deflate ? packed.size() : unpacked;
  if (name.size() > 0xFFFF || unpacked > kMost || size > kMost || place + size > kMost) {
    refuse(writer_, "\"" + name + "\" makes the archive larger than 4 GiB: use save_safetensors");
  }

  // The part that a member's own header and the directory share.
  std::string header;
  put(header, 20, 2);      // version 2.0 of the format can read it
  put(header, 0x0800, 2);  // the name is UTF-8
  put(header, deflate ? 8 : 0, 2);
  put(header, 0, 2);       // time of day and
  put(header, 0x0021, 2);  // date: 1980-01-01, so that equal contents give equal files
  put(header, checksum_of(first, second), 4);
  put(header, size, 4);
  put(header, unpacked, 4);
  put(header, name.size(), 2);
  put(header, 0, 2);  // no extra field

  std::string local("PK\x03\x04");
  local += header + name;
  file_.write(local);
  if (deflate) {
    file_.write(packed);
  } else {
    file_.write(first);
    file_.write(second);
  }
  directory_ += "PK\x01\x02";
  put(directory_, 20, 2);
  directory_ += header;
  put(directory_, 0, 2);  // no comment
  put(directory_, 0, 2);  // first disk
  put(directory_, 0, 2);  // attributes inside
  put(directory_, 0, 4);  // and outside
  put(directory_, place, 4);
  directory_ += name;
}

void ZipWriter::commit() {
  if (names_.size() > 0xFFFE || file_.size() + directory_.size() > kMost) {
    refuse(writer_, "the archive has too many members");
  }
  std::string end("PK\x05\x06");
  put(end, 0, 4);  // one disk
  put(end, names_.size(), 2);
  put(end, names_.size(), 2);
  put(end, directory_.size(), 4);
  put(end, file_.size(), 4);
  put(end, 0, 2);  // no comment
  file_.write(directory_);
  file_.write(end);
  file_.commit();
}

}  // namespace likely::io
