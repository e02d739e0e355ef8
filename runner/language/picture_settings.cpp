// Reads the preprocessing settings of a vision model's folder.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "language/pictures.h"

namespace compeer::language {

namespace {

using nlohmann::json;

constexpr uint64_t largest_settings = 1 << 20;

// Reads keys of one settings file; errors name the file.
class PictureSettingsReader {
 public:
  PictureSettingsReader(const json& table, std::string file) : table_(table), file_(std::move(file)) {}

  bool has(const char* key) const { return table_.contains(key) && !table_.at(key).is_null(); }

  void size(const char* key, int64_t most, int64_t& value) const {
    if (!has(key)) return;
    const json& given = table_.at(key);
    if (!given.is_number_integer() || given.get<int64_t>() < 1 || given.get<int64_t>() > most)
      refuse(key, fmt::format("must be a whole number from 1 to {}", most));
    value = given.get<int64_t>();
  }

  void colour(const char* key, std::array<float, 3>& values) const {
    if (!has(key)) return;
    const json& given = table_.at(key);
    if (!given.is_array() || given.size() != 3 ||
        !std::all_of(given.begin(), given.end(), [](const json& v) { return v.is_number(); }))
      refuse(key, "must be three numbers");
    for (size_t c = 0; c < 3; ++c) values[c] = given[c].get<float>();
  }

  void number(const char* key, double& value) const {
    if (!has(key)) return;
    if (!table_.at(key).is_number()) refuse(key, "must be a number");
    value = table_.at(key).get<double>();
  }

  void step(const char* key) const {
    if (has(key) && table_.at(key) != json(true)) refuse(key, "must be true: this step is always applied");
  }

  [[noreturn]] void refuse(const std::string& key, const std::string& why) const {
    throw Error(file_, fmt::format("'{}' {}", key, why), "", Exit::data);
  }

 private:
  const json& table_;
  std::string file_;
};

struct FoundSettings {
  std::filesystem::path file;
  json table;
};

FoundSettings find(const std::filesystem::path& folder) {
  for (const char* name : {"preprocessor_config.json", "processor_config.json"}) {
    const auto file = folder / name;
    if (!std::filesystem::exists(file)) continue;
    auto table = read_strict_json(file, largest_settings);
    if (table.is_object() && table.contains("image_processor")) table = json(table.at("image_processor"));
    if (!table.is_object()) throw Error(file.string(), "is not a JSON object", "", Exit::data);
    return {file, table};
  }
  throw Error(folder.string(), "has no preprocessor_config.json",
              "add it: it contains the settings of picture processing; text-only models do not support pictures",
              Exit::data);
}

}  // namespace

PictureSettings PictureSettings::load(const std::filesystem::path& folder) {
  const auto [file, table] = find(folder);
  const PictureSettingsReader read(table, file.string());
  constexpr int64_t most_pixels = int64_t{1} << 40;
  constexpr int bicubic = 3;
  PictureSettings s;
  if (read.has("size")) {
    if (!table.at("size").is_object()) read.refuse("size", "must be an object with shortest_edge and longest_edge");
    const PictureSettingsReader size(table.at("size"), file.string());
    size.size("shortest_edge", most_pixels, s.min_pixels);
    size.size("longest_edge", most_pixels, s.max_pixels);
    size.size("min_pixels", most_pixels, s.min_pixels);
    size.size("max_pixels", most_pixels, s.max_pixels);
  }
  read.size("min_pixels", most_pixels, s.min_pixels);
  read.size("max_pixels", most_pixels, s.max_pixels);
  if (s.min_pixels > s.max_pixels) read.refuse("min_pixels", "must not be larger than max_pixels");
  read.size("patch_size", 1024, s.patch_size);
  read.size("temporal_patch_size", 64, s.temporal_patch_size);
  read.size("merge_size", 64, s.merge_size);
  read.colour("image_mean", s.mean);
  read.colour("image_std", s.std_dev);
  for (const float deviation : s.std_dev) {
    if (!(deviation > 0)) read.refuse("image_std", "must be above 0");
  }
  read.number("rescale_factor", s.rescale_factor);
  if (!(s.rescale_factor > 0)) read.refuse("rescale_factor", "must be above 0");
  for (const char* key : {"do_resize", "do_rescale", "do_normalize", "do_convert_rgb"}) read.step(key);
  if (read.has("resample") && table.at("resample") != json(bicubic)) read.refuse("resample", "must be 3, bicubic");
  return s;
}

}  // namespace compeer::language
