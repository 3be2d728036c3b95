#include "tests/fuzz/raw_archive.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstdint>

namespace likely::fuzz {

namespace {

using namespace std::string_literals;

void append_number(std::string& bytes, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i));
}

std::uint64_t checksum(const std::string& bytes) {
  return crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
}

// Without zlib's own head and tail, as zip and gzip have it.
std::string deflated(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, bytes.size()) + 16, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace

std::string zip_of(const std::vector<RawMember>& members, Choices& choices) {
  const auto or_lie = [&](std::uint64_t value) {
    return choices.one_in(24) ? static_cast<std::uint64_t>(choices.whole()) : value;
  };
  std::string archive, directory;
  for (const RawMember& member : members) {
    const bool pack = choices.one_in(2);
    const std::string data = pack ? deflated(member.bytes) : member.bytes;
    const std::uint64_t offset = or_lie(archive.size());
    std::string common;
    append_number(common, or_lie(choices.one_in(32) ? 1 : 0), 2);  // flags: encrypted
    append_number(common, or_lie(pack ? 8 : 0), 2);
    append_number(common, 0, 4);
    append_number(common, or_lie(checksum(member.bytes)), 4);
    append_number(common, or_lie(data.size()), 4);
    append_number(common, or_lie(member.bytes.size()), 4);
    append_number(common, or_lie(member.name.size()), 2);
    append_number(common, or_lie(0), 2);
    archive += "PK\3\4\x14\0"s + common + member.name + data;
    directory += "PK\1\2\x14\0\x14\0"s + common;
    append_number(directory, or_lie(0), 2);  // comment
    append_number(directory, 0, 2);
    append_number(directory, 0, 6);
    append_number(directory, offset, 4);
    directory += member.name;
  }
  const std::uint64_t start = archive.size();
  archive += directory + "PK\5\6\0\0\0\0"s;
  append_number(archive, or_lie(members.size()), 2);
  append_number(archive, or_lie(members.size()), 2);
  append_number(archive, or_lie(directory.size()), 4);
  append_number(archive, or_lie(start), 4);
  append_number(archive, or_lie(0), 2);
  return archive;
}

std::string gzip_of(const std::string& text, Choices& choices) {
  std::string file;
  std::size_t done = 0;
  do {
    const std::size_t piece = choices.one_in(4) ? choices.below(text.size() - done + 1) : text.size() - done;
    const std::string bytes = text.substr(done, piece);
    done += piece;
    const std::size_t fields = choices.one_in(4) ? choices.below(256) : 0;
    file += "\x1f\x8b\x08"s + static_cast<char>(fields) + std::string(6, '\0');
    if ((fields & 4) != 0) file += "\2\0xx"s;
    if ((fields & 8) != 0) file += "name\0"s;
    if ((fields & 16) != 0) file += "comment\0"s;
    file += deflated(bytes);
    append_number(file, choices.one_in(16) ? 0 : checksum(bytes), 4);
    append_number(file, choices.one_in(16) ? 0 : bytes.size(), 4);
    if (piece == 0) break;
  } while (done < text.size());
  if (choices.one_in(8)) file += choices.word();
  if (choices.one_in(8)) file.resize(choices.below(file.size() + 1));
  return file;
}

}  // namespace likely::fuzz
