#include "app/model/picture_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "app/model/json_lines.h"
#include "base/error.h"
#include "base/files.h"
#include "record/strict_json.h"

namespace compeer::app {

namespace {

using nlohmann::json;

// How many placeholders each of the pictures needs.
std::vector<int64_t> needed(const std::vector<Picture>& pictures, const language::PictureSettings& settings) {
  std::vector<int64_t> times;
  for (const auto& picture : pictures) times.push_back(language::placeholders(picture, settings));
  return times;
}

}  // namespace

PictureInput::PictureInput(const std::filesystem::path& folder, OpenModel& model) : model_(model) {
  const json config = record::parse_strict_json(folder / "config.json", read_file(folder / "config.json"));
  for (const char* key : {"image_token_id", "video_token_id"}) {
    if (config.contains(key) && config.at(key).is_number_integer())
      placeholders_.push_back(config.at(key).get<int32_t>());
  }
  if (placeholders_.empty()) return;
  if (std::filesystem::exists(folder / "preprocessor_config.json") ||
      std::filesystem::exists(folder / "processor_config.json"))
    settings_ = language::PictureSettings::load(folder);
}

std::shared_ptr<const Sight> PictureInput::look(std::vector<int32_t>& tokens, const nlohmann::ordered_json& line,
                                                int64_t first, const std::string& where) const {
  const auto stands_for_one = [&](int32_t id) {
    return std::find(placeholders_.begin(), placeholders_.end(), id) != placeholders_.end();
  };
  const auto settings = settings_.value_or(language::PictureSettings());
  std::vector<language::PictureFiles> files;
  if (line.contains("messages"))
    files = language::picture_parts(json(line.at("messages")), settings, where);
  else if (line.contains("images"))
    files = language::picture_list(json(line.at("images")), where);
  const auto stand = std::count_if(tokens.begin(), tokens.end(), stands_for_one);
  if (files.empty() && stand == 0) return nullptr;
  if (placeholders_.empty()) throw Error(where, "has pictures, which this model does not see", "", Exit::data);
  if (!settings_)
    throw Error(where, "has pictures, but the model folder has no preprocessor_config.json", "", Exit::data);
  std::vector<Picture> pictures;
  try {
    for (const auto& file : files) pictures.push_back(language::read_picture(file.frames, settings, file.seconds));
  } catch (const Error& error) {
    throw in_line(where, error);
  }
  const auto times = needed(pictures, settings);
  const bool repeated = line.contains("ids");
  const auto wanted =
      repeated ? std::accumulate(times.begin(), times.end(), int64_t{0}) : static_cast<int64_t>(times.size());
  if (stand != wanted) {
    throw Error(where, fmt::format("has {} placeholders, its {} pictures need {}", stand, files.size(), wanted),
                repeated ? "" : "those in a text count with --special", Exit::data);
  }
  if (!repeated) {
    std::vector<int32_t> all;
    auto next = times.begin();
    for (const int32_t id : tokens) all.insert(all.end(), stands_for_one(id) ? static_cast<size_t>(*next++) : 1, id);
    tokens = std::move(all);
  }
  return model_.plugin->call("look", [&](Model& model) { return model.look(tokens, first, pictures); });
}

}  // namespace compeer::app
