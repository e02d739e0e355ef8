// Reader and writer of safetensors files.
#include "record/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "record/mapped_file.h"

namespace compeer::record {

namespace {

using nlohmann::json;
using Path = std::filesystem::path;

constexpr uint64_t longest_header = 100'000'000;
constexpr uint64_t longest_index = 100'000'000;

const std::map<std::string, size_t> element_sizes = {
    {"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"F8_E4M3", 1}, {"F8_E5M2", 1}, {"I64", 8}, {"I32", 4},
    {"I16", 2}, {"I8", 1},  {"U64", 8}, {"U32", 4},  {"U16", 2},     {"U8", 1},      {"BOOL", 1}};

// A name for messages. Names are untrusted: control characters are replaced, and long names shortened.
std::string shown(std::string name) {
  for (char& c : name) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return name.size() <= 200 ? name : name.substr(0, 200) + "...";
}

[[noreturn]] void refuse(const Path& file, const std::string& what) {
  throw Error(file.string(), what, "", Exit::data);
}

template <class Value>
std::vector<std::string> keys_of(const std::map<std::string, Value>& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

uint64_t little_endian(std::span<const std::byte> bytes) {
  uint64_t value = 0;
  for (size_t i = 8; i-- > 0;) value = value << 8 | std::to_integer<uint64_t>(bytes[i]);
  return value;
}

// Number of bytes by shape and type. Throws if it overflows.
template <class Tensor>
uint64_t wanted_bytes(const Path& file, const Tensor& tensor) {
  uint64_t bytes = element_size(tensor.dtype);
  if (bytes == 0)
    throw Error(file.string(),
                fmt::format("tensor '{}' has the unknown type '{}'", shown(tensor.name), shown(tensor.dtype)),
                suggest(tensor.dtype, keys_of(element_sizes)), Exit::data);
  for (const int64_t extent : tensor.shape) {
    if (extent < 0) refuse(file, fmt::format("tensor '{}' has a negative size {}", shown(tensor.name), extent));
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(extent), &bytes))
      refuse(file, fmt::format("tensor '{}' is too large", shown(tensor.name)));
  }
  return bytes;
}

bool is_index(const json& value) { return value.is_number_unsigned(); }

// One entry of the header: {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}.
TensorView parse_tensor(const Path& file, const std::string& name, const json& entry, std::span<const std::byte> data) {
  auto wrong = [&](const char* what) { refuse(file, fmt::format("tensor '{}': {}", shown(name), what)); };
  if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") || !entry.contains("shape") ||
      !entry.contains("data_offsets"))
    wrong("should have exactly dtype, shape and data_offsets");
  const auto &dtype = entry["dtype"], &shape = entry["shape"], &offsets = entry["data_offsets"];
  if (!dtype.is_string()) wrong("dtype is not a string");
  if (!shape.is_array() || !std::all_of(shape.begin(), shape.end(), is_index)) wrong("shape is not a list of sizes");
  if (!offsets.is_array() || offsets.size() != 2 || !is_index(offsets[0]) || !is_index(offsets[1]))
    wrong("data_offsets must be two positions");

  TensorView tensor{name, dtype, {}, {}};
  for (const auto& extent : shape) {
    if (extent.get<uint64_t>() > INT64_MAX) wrong("a size is too large");
    tensor.shape.push_back(extent.get<int64_t>());
  }
  const uint64_t begin = offsets[0], end = offsets[1];
  if (begin > end || end > data.size())
    refuse(file,
           fmt::format("tensor '{}' is at bytes {} to {}, but the file has {}", shown(name), begin, end, data.size()));
  if (const uint64_t wanted = wanted_bytes(file, tensor); wanted != end - begin)
    refuse(file, fmt::format("tensor '{}' has {} bytes, its shape and type need {}", shown(name), end - begin, wanted));
  tensor.bytes = data.subspan(begin, end - begin);
  return tensor;
}

// Throws unless the tensors fill the data without gaps or overlaps, so that files contain no hidden data.
void check_extents(const Path& file, std::vector<TensorView> tensors, std::span<const std::byte> data) {
  std::sort(tensors.begin(), tensors.end(), [](const TensorView& a, const TensorView& b) {
    return std::pair(a.bytes.data(), a.bytes.size()) < std::pair(b.bytes.data(), b.bytes.size());
  });
  const std::byte* at = data.data();
  for (const auto& tensor : tensors) {
    if (tensor.bytes.data() < at) refuse(file, fmt::format("tensor '{}' overlaps another", shown(tensor.name)));
    if (tensor.bytes.data() > at) refuse(file, fmt::format("unused bytes precede tensor '{}'", shown(tensor.name)));
    at += tensor.bytes.size();
  }
  if (const auto rest = data.data() + data.size() - at)
    refuse(file, fmt::format("{} bytes follow the last tensor", rest));
}

void parse_metadata(const Path& file, const json& entry, std::map<std::string, std::string>& metadata) {
  if (!entry.is_object()) refuse(file, "__metadata__ is not an object");
  for (const auto& [key, value] : entry.items()) {
    if (!value.is_string()) refuse(file, fmt::format("__metadata__ '{}' is not a string", shown(key)));
    metadata[key] = value;
  }
}

// Order of tensors in a file: larger elements first, then by name.
bool stands_before(const TensorInPieces& a, const TensorInPieces& b) {
  return std::pair(element_size(b.dtype), a.name) < std::pair(element_size(a.dtype), b.name);
}

// True if the text is a plain file name, so that no path leads out of the folder.
bool is_file_name(const std::string& text) {
  return !text.empty() && text != "." && text != ".." && text.find('/') == std::string::npos &&
         text.find('\0') == std::string::npos;
}

std::string_view header_text(const Path& file, std::span<const std::byte> bytes) {
  if (bytes.size() < 8) refuse(file, "is too short to be a safetensors file");
  const uint64_t length = little_endian(bytes);
  if (length > longest_header)
    refuse(file, fmt::format("has a header of {} bytes, more than the limit of {}", length, longest_header));
  if (length > bytes.size() - 8)
    refuse(file, fmt::format("ends within its header: it has {} bytes of {}", bytes.size() - 8, length));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + 8, length);
  if (!text.starts_with('{')) refuse(file, "has a header that doesn't begin with '{'");
  return text;
}

}  // namespace

struct Safetensors::Files {
  Path path;
  Access access;
  std::vector<MappedFile> mapped;
  std::map<std::string, TensorView> tensors;
  std::map<std::string, std::string> metadata;

  // Checks one file and adds its tensors. Returns their names.
  std::vector<std::string> add(const Path& file) {
    const auto bytes = mapped.emplace_back(file, access).bytes();
    const auto text = header_text(file, bytes);
    const auto data = bytes.subspan(8 + text.size());
    std::vector<TensorView> found;
    const json header = parse_json_object(text, file.string());
    for (const auto& [name, entry] : header.items()) {
      if (name == "__metadata__")
        parse_metadata(file, entry, metadata);
      else
        found.push_back(parse_tensor(file, name, entry, data));
    }
    check_extents(file, found, data);
    std::vector<std::string> added;
    for (auto& tensor : found) {
      added.push_back(tensor.name);
      if (!tensors.emplace(tensor.name, tensor).second)
        refuse(file, fmt::format("tensor '{}' is also in another file", shown(tensor.name)));
    }
    return added;
  }
};

size_t element_size(const std::string& dtype) {
  const auto found = element_sizes.find(dtype);
  return found == element_sizes.end() ? 0 : found->second;
}

Safetensors::Safetensors(std::unique_ptr<Files> files) : files_(std::move(files)) {}
Safetensors::Safetensors(Safetensors&&) noexcept = default;
Safetensors& Safetensors::operator=(Safetensors&&) noexcept = default;
Safetensors::~Safetensors() = default;

Safetensors Safetensors::open(const Path& file, Access access) {
  auto files = std::make_unique<Files>(Files{file, access, {}, {}, {}});
  files->add(file);
  return Safetensors(std::move(files));
}

// The index maps tensors to shards: {"weight_map": {"lm_head.weight": "model-00001-of-00002.safetensors"}}.
Safetensors Safetensors::open_sharded(const Path& folder, Access access) {
  const Path index = folder / "model.safetensors.index.json";
  if (std::filesystem::exists(folder / "model.safetensors")) return open(folder / "model.safetensors", access);
  if (!std::filesystem::exists(index))
    throw Error(folder.string(), "has neither model.safetensors nor model.safetensors.index.json",
                "put the weights next to config.json; for the weights of a run, use its checkpoints/last", Exit::data);
  const json parsed = read_json_object(index, longest_index);
  if (!parsed.contains("weight_map") || !parsed["weight_map"].is_object()) refuse(index, "has no object 'weight_map'");
  std::map<std::string, std::set<std::string>> promised;  // shard -> tensors that the index lists
  for (const auto& [name, shard] : parsed["weight_map"].items()) {
    if (!shard.is_string() || !is_file_name(shard.get<std::string>()))
      refuse(index, fmt::format("tensor '{}' must name a file in this folder", shown(name)));
    promised[shard].insert(name);
  }
  auto files = std::make_unique<Files>(Files{folder, access, {}, {}, {}});
  for (const auto& [shard, names] : promised) {
    const auto added = files->add(folder / shard);
    const std::set<std::string> there(added.begin(), added.end());
    for (const auto& name : names)
      if (!there.count(name))
        refuse(folder / shard, fmt::format("has no tensor '{}', which the index lists", shown(name)));
  }
  return Safetensors(std::move(files));
}

std::vector<std::string> Safetensors::names() const { return keys_of(files_->tensors); }
bool Safetensors::has(const std::string& name) const { return files_->tensors.count(name) > 0; }
const std::map<std::string, std::string>& Safetensors::metadata() const { return files_->metadata; }
const Path& Safetensors::path() const { return files_->path; }

void Safetensors::release() const {
  for (const MappedFile& file : files_->mapped) file.release();
}

const TensorView& Safetensors::tensor(const std::string& name) const {
  const auto found = files_->tensors.find(name);
  if (found == files_->tensors.end()) {
    const auto near = nearest(name, names());
    throw Error(path().string(), fmt::format("has no tensor '{}'", name),
                near.empty() ? "" : "did you mean '" + near + "'?", Exit::data);
  }
  return found->second;
}

namespace {

// The views must remain valid until they are written.
std::vector<TensorInPieces> in_pieces(const Path& file, const std::vector<TensorView>& tensors) {
  std::vector<TensorInPieces> all;
  for (const auto& tensor : tensors) {
    if (const uint64_t wanted = wanted_bytes(file, tensor); wanted != tensor.bytes.size())
      refuse(file, fmt::format("tensor '{}' has {} bytes, its shape and type need {}", tensor.name, tensor.bytes.size(),
                               wanted));
    all.push_back(
        {tensor.name, tensor.dtype, tensor.shape, [bytes = tensor.bytes](const auto& write) { write(bytes); }});
  }
  return all;
}

// Length and text of the header, for data in the order of `tensors`.
std::string header_of(const Path& file, const std::vector<TensorInPieces>& tensors,
                      const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  uint64_t at = 0;
  for (const auto& tensor : tensors) {
    if (tensor.name == "__metadata__" || header.contains(tensor.name))
      refuse(file, fmt::format("duplicate tensor '{}'", tensor.name));
    const uint64_t end = at + wanted_bytes(file, tensor);
    header[tensor.name] = {{"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {at, end}}};
    at = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  std::string length(8, '\0');
  for (size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(text.size() >> 8 * i);
  return length + text;
}

void write_tensor(const Path& file, const TensorInPieces& tensor, const WritePiece& write) {
  uint64_t count = 0;
  tensor.make([&](std::span<const std::byte> bytes) {
    count += bytes.size();
    write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  });
  if (const uint64_t wanted = wanted_bytes(file, tensor); wanted != count)
    refuse(file, fmt::format("tensor '{}' has {} bytes, its shape and type need {}", tensor.name, count, wanted));
}

void write_pieces(const Path& file, std::vector<TensorInPieces> tensors,
                  const std::map<std::string, std::string>& metadata) {
  std::sort(tensors.begin(), tensors.end(), stands_before);
  const std::string header = header_of(file, tensors, metadata);
  write_in_pieces(file, [&](const WritePiece& write) {
    write(header);
    for (const auto& tensor : tensors) write_tensor(file, tensor, write);
  });
}

}  // namespace

void write_safetensors(const Path& file, const std::vector<TensorView>& tensors,
                       const std::map<std::string, std::string>& metadata) {
  write_pieces(file, in_pieces(file, tensors), metadata);
}

namespace {

// Removes a file of the other layout. Throws Error (exit 1) if that fails.
void remove_stale(const Path& file) {
  std::error_code code;
  std::filesystem::remove(file, code);
  if (code) throw Error(file.string(), "can't be removed: " + code.message(), "", Exit::failure);
}

}  // namespace

void write_sharded(const Path& folder, const std::vector<TensorView>& tensors, uint64_t limit) {
  write_sharded_in_pieces(folder, in_pieces(folder, tensors), limit);
}

void write_sharded_in_pieces(const Path& folder, const std::vector<TensorInPieces>& tensors, uint64_t limit) {
  std::vector<std::vector<TensorInPieces>> shards(1);
  uint64_t total = 0, in_shard = 0;
  for (const auto& tensor : tensors) {
    const uint64_t bytes = wanted_bytes(folder, tensor);
    if (!shards.back().empty() && in_shard + bytes > limit) {
      shards.emplace_back();
      in_shard = 0;
    }
    shards.back().push_back(tensor);
    in_shard += bytes;
    total += bytes;
  }
  const Path single = folder / "model.safetensors", index = folder / "model.safetensors.index.json";
  if (shards.size() == 1) {
    write_pieces(single, shards[0], {{"format", "pt"}});
    remove_stale(index);
    return;
  }
  json places;
  for (size_t i = 0; i < shards.size(); ++i) {
    const auto name = fmt::format("model-{:05}-of-{:05}.safetensors", i + 1, shards.size());
    write_pieces(folder / name, shards[i], {{"format", "pt"}});
    for (const auto& tensor : shards[i]) places[tensor.name] = name;
  }
  write_file(index, json{{"metadata", {{"total_size", total}}}, {"weight_map", places}}.dump(2) + "\n");
  remove_stale(single);
}

}  // namespace compeer::record
