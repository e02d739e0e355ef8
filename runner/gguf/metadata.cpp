// Reads the metadata of a GGUF file to JSON values, with limits on memory and nesting.
#include "gguf/metadata.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "gguf/cursor.h"

namespace compeer::gguf {

namespace {

using nlohmann::json;

constexpr uint64_t most_elements =
    20'000'000;  // of all arrays together, because JSON values need more bytes than the file
constexpr int deepest_array = 4;
constexpr size_t longest_key = 65535;

struct ValueType {
  const char* name;
  size_t least;  // minimum bytes of a value in the file
};

// The index is the type's number in the file.
constexpr ValueType types[] = {{"uint8", 1},  {"int8", 1},    {"uint16", 2}, {"int16", 2},  {"uint32", 4},
                               {"int32", 4},  {"float32", 4}, {"bool", 1},   {"string", 8}, {"array", 12},
                               {"uint64", 8}, {"int64", 8},   {"float64", 8}};
constexpr uint32_t array_type = 9;

class ValueReader {
 public:
  explicit ValueReader(Cursor& in) : in_(in) {}

  MetadataValue next(const std::string& of) {
    const auto type = type_of(of);
    json read = value(type, of, 0);
    return {types[type].name, std::move(read)};
  }

 private:
  uint32_t type_of(const std::string& of) {
    const auto type = in_.number<uint32_t>(of);
    if (type >= std::size(types)) in_.refuse(fmt::format("{} is of the unknown type {}", of, type));
    return type;
  }

  json value(uint32_t type, const std::string& of, int depth) {
    switch (type) {
      case 0:
        return in_.number<uint8_t>(of);
      case 1:
        return in_.number<int8_t>(of);
      case 2:
        return in_.number<uint16_t>(of);
      case 3:
        return in_.number<int16_t>(of);
      case 4:
        return in_.number<uint32_t>(of);
      case 5:
        return in_.number<int32_t>(of);
      case 6:
        return in_.number<float>(of);
      case 7:
        return boolean(of);
      case 8:
        return in_.text(of);
      case array_type:
        return array(of, depth);
      case 10:
        return in_.number<uint64_t>(of);
      case 11:
        return in_.number<int64_t>(of);
      default:
        return in_.number<double>(of);
    }
  }

  bool boolean(const std::string& of) {
    const auto value = in_.number<uint8_t>(of);
    if (value > 1) in_.refuse(fmt::format("{} is {}, neither true (1) nor false (0)", of, value));
    return value == 1;
  }

  json array(const std::string& of, int depth) {
    if (depth == deepest_array) in_.refuse(fmt::format("{} nests arrays more than {} deep", of, deepest_array));
    const auto type = type_of(of);
    const auto count = in_.number<uint64_t>(of);
    if (count > in_.rest() / types[type].least)
      in_.refuse(fmt::format("{} has {} elements, but the file has room for at most {}", of, count,
                             in_.rest() / types[type].least),
                 truncated_help);
    if (count > most_elements - elements_)
      in_.refuse(fmt::format("{} has {} elements, at most {} in all arrays are supported", of, count, most_elements));
    elements_ += count;
    json::array_t values;
    values.reserve(count);
    for (uint64_t i = 0; i < count; ++i) values.push_back(value(type, of, depth + 1));
    return values;
  }

  Cursor& in_;
  uint64_t elements_ = 0;
};

}  // namespace

Metadata read_metadata(Cursor& in, uint64_t count) {
  ValueReader values(in);
  Metadata all;
  for (uint64_t i = 0; i < count; ++i) {
    auto key = in.text(fmt::format("the key of metadata {} of {}", i + 1, count), longest_key);
    const std::string of = fmt::format("metadata '{}'", sanitized(key));
    if (!all.emplace(std::move(key), values.next(of)).second) in.refuse(of + " occurs twice");
  }
  return all;
}

void MetadataReader::refuse(const std::string& what, const std::string& help) const {
  throw Error(where_, what, help, Exit::data);
}

const json& MetadataReader::value(const std::string& key) const {
  const auto found = metadata_.find(key);
  if (found != metadata_.end()) return found->second.value;
  std::vector<std::string> names;
  for (const auto& [name, value] : metadata_) names.push_back(name);
  const auto near = nearest(key, names);
  refuse("lacks the metadata '" + key + "'", near.empty() ? "" : "is it called '" + near + "' here?");
}

std::string MetadataReader::text(const std::string& key) const {
  const json& found = value(key);
  if (!found.is_string()) refuse("metadata '" + key + "' is not a string");
  return found.get<std::string>();
}

std::string MetadataReader::text(const std::string& key, const std::string& otherwise) const {
  return has(key) ? text(key) : otherwise;
}

int64_t MetadataReader::whole(const std::string& key, int64_t least, int64_t most) const {
  const json& found = value(key);
  if (found.is_array())
    refuse("metadata '" + key + "' is a list", "models whose layers differ in it are not supported");
  const bool fits = found.is_number_integer() &&
                    (!found.is_number_unsigned() || found.get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX)) &&
                    found.get<int64_t>() >= least && found.get<int64_t>() <= most;
  if (!fits)
    refuse(fmt::format("metadata '{}' is {}", key, sanitized(found.dump())),
           fmt::format("it must be a whole number from {} to {}", least, most));
  return found.get<int64_t>();
}

int64_t MetadataReader::whole(const std::string& key, int64_t least, int64_t most, int64_t otherwise) const {
  return has(key) ? whole(key, least, most) : otherwise;
}

double MetadataReader::positive(const std::string& key, double otherwise) const {
  if (!has(key)) return otherwise;
  const json& found = value(key);
  if (!found.is_number() || !std::isfinite(found.get<double>()) || found.get<double>() <= 0)
    refuse("metadata '" + key + "' must be a number above 0");
  return found.get<double>();
}

bool MetadataReader::flag(const std::string& key, bool otherwise) const {
  if (!has(key)) return otherwise;
  if (!value(key).is_boolean()) refuse("metadata '" + key + "' must be true or false");
  return value(key).get<bool>();
}

const json& MetadataReader::list(const std::string& key) const {
  const json& found = value(key);
  if (!found.is_array()) refuse("metadata '" + key + "' is not a list");
  return found;
}

}  // namespace compeer::gguf
