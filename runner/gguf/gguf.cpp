// Parses GGUF files. Nothing in the file is trusted: sizes are checked for overflow, ranges against the file's end.
#include "gguf/gguf.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "gguf/cursor.h"

namespace compeer::gguf {

namespace {

constexpr uint32_t most_dimensions = 4;
constexpr size_t longest_name = 1024;
constexpr int64_t largest_alignment = 1 << 20;

uint32_t read_version(Cursor& in) {
  if (in.rest() < 4 || in.number<uint32_t>("the first word") != 0x46554747u)  // "GGUF"
    in.refuse("is not a GGUF file: it doesn't begin with 'GGUF'");
  const auto version = in.number<uint32_t>("the version");
  if (version == 2 || version == 3) return version;
  const bool swapped = version != 0 && (version & 0xFFFFu) == 0;
  in.refuse(swapped ? "is big-endian" : fmt::format("is a GGUF file of version {}", version),
            "use a little-endian file of version 2 or 3");
}

// A tensor without its bytes, and their offset in the tensor data.
struct TensorEntry {
  GgufTensor tensor;
  uint64_t offset;
};

int64_t read_size(Cursor& in, const std::string& of) {
  const auto size = in.number<uint64_t>(of);
  if (size < 1 || size > INT64_MAX) in.refuse(fmt::format("{} has the size {}", of, size));
  return static_cast<int64_t>(size);
}

TensorEntry read_entry(Cursor& in, uint64_t number, uint64_t count) {
  auto name = in.text(fmt::format("the name of tensor {} of {}", number, count), longest_name);
  const std::string of = fmt::format("tensor '{}'", sanitized(name));
  const auto dimensions = in.number<uint32_t>(of);
  if (dimensions < 1 || dimensions > most_dimensions)
    in.refuse(fmt::format("{} has {} dimensions", of, dimensions), "tensors have 1 to 4");
  std::vector<int64_t> shape(dimensions);
  for (size_t i = dimensions; i-- > 0;) shape[i] = read_size(in, of);
  const auto id = in.number<uint32_t>(of);
  const auto* format = find_format(id);
  if (!format)
    in.refuse(fmt::format("{} has the format {}, which is not supported", of, format_name(id)),
              "known: " + known_formats());
  const auto offset = in.number<uint64_t>(of);
  return {{std::move(name), format, std::move(shape), {}}, offset};
}

// Returns the number of bytes of a tensor's blocks. Throws Error if the size is invalid or overflows.
uint64_t wanted_bytes(const Cursor& in, const GgufTensor& tensor) {
  const std::string of = fmt::format("tensor '{}'", sanitized(tensor.name));
  const BlockFormat& format = *tensor.format;
  const auto row = static_cast<uint64_t>(tensor.shape.back());
  if (row % format.elements != 0)
    in.refuse(fmt::format("{} has rows of {} elements, which is not a multiple of the block size {} ({})", of, row,
                          format.elements, format.name));
  uint64_t bytes = row / format.elements, elements = row;
  bool fits = !__builtin_mul_overflow(bytes, uint64_t{format.bytes}, &bytes);
  for (size_t i = 0; i + 1 < tensor.shape.size(); ++i) {
    const auto size = static_cast<uint64_t>(tensor.shape[i]);
    fits = fits && !__builtin_mul_overflow(bytes, size, &bytes) && !__builtin_mul_overflow(elements, size, &elements);
  }
  if (!fits || elements > INT64_MAX / 8) in.refuse(of + " is too large");
  return bytes;
}

// Throws Error if the bytes of two tensors overlap.
void check_overlap(const Cursor& in, const std::vector<GgufTensor>& all) {
  std::vector<const GgufTensor*> tensors;
  tensors.reserve(all.size());
  for (const GgufTensor& tensor : all) tensors.push_back(&tensor);
  std::sort(tensors.begin(), tensors.end(),
            [](const GgufTensor* a, const GgufTensor* b) { return a->bytes.data() < b->bytes.data(); });
  for (size_t i = 1; i < tensors.size(); ++i) {
    if (tensors[i - 1]->bytes.data() + tensors[i - 1]->bytes.size() > tensors[i]->bytes.data())
      in.refuse(
          fmt::format("tensors '{}' and '{}' overlap", sanitized(tensors[i - 1]->name), sanitized(tensors[i]->name)));
  }
}

uint64_t rounded_up(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

// Returns the bytes of a tensor. Throws Error if its offset is misaligned or its bytes exceed the file.
std::span<const std::byte> blocks_of(const Cursor& in, const TensorEntry& entry, std::span<const std::byte> data,
                                     uint32_t alignment) {
  const std::string of = fmt::format("tensor '{}'", sanitized(entry.tensor.name));
  const uint64_t bytes = wanted_bytes(in, entry.tensor), offset = entry.offset;
  if (offset % alignment != 0)
    in.refuse(fmt::format("{} begins at byte {} of the data, which is not a multiple of {}", of, offset, alignment));
  if (offset > data.size() || bytes > data.size() - offset)
    in.refuse(
        fmt::format("{} has {} bytes from byte {} of the data on, which end at {}", of, bytes, offset, data.size()),
        truncated_help);
  return data.subspan(offset, bytes);
}

uint32_t alignment_of(const MetadataReader& metadata) {
  const auto alignment = metadata.whole("general.alignment", 8, largest_alignment, 32);
  if ((alignment & (alignment - 1)) != 0)
    metadata.refuse(fmt::format("metadata 'general.alignment' is {}, which is not a power of two", alignment));
  return static_cast<uint32_t>(alignment);
}

}  // namespace

std::string sanitized(std::string_view text) {
  std::string line(text.substr(0, 200));
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return text.size() <= 200 ? line : line + "...";
}

int64_t GgufTensor::elements() const {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  return count;
}

GgufFile GgufFile::open(const std::filesystem::path& file) {
  record::MappedFile mapped(file);
  const auto all = mapped.bytes();
  return {std::move(mapped), all, file.string()};
}

GgufFile::GgufFile(record::MappedFile mapped, std::span<const std::byte> within, std::string where)
    : mapped_(std::move(mapped)), where_(std::move(where)) {
  Cursor in(within, where_);
  version_ = read_version(in);
  const auto tensors = in.number<uint64_t>("the number of tensors");
  const auto keys = in.number<uint64_t>("the number of metadata");
  metadata_ = read_metadata(in, keys);
  alignment_ = alignment_of(reader());
  std::vector<TensorEntry> entries;
  for (uint64_t i = 0; i < tensors; ++i) {
    entries.push_back(read_entry(in, i + 1, tensors));
    if (!indices_.emplace(entries.back().tensor.name, i).second)
      in.refuse(fmt::format("two tensors are called '{}'", sanitized(entries.back().tensor.name)));
  }
  data_start_ = std::min<uint64_t>(rounded_up(in.at(), alignment_), within.size());
  const auto data = within.subspan(data_start_);
  for (TensorEntry& entry : entries) {
    entry.tensor.bytes = blocks_of(in, entry, data, alignment_);
    tensors_.push_back(std::move(entry.tensor));
  }
  check_overlap(in, tensors_);
}

const GgufTensor* GgufFile::find(std::string_view name) const {
  const auto found = indices_.find(name);
  return found == indices_.end() ? nullptr : &tensors_[found->second];
}

}  // namespace compeer::gguf
