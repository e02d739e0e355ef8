// Pictures as model input: files, placeholder tokens and the vision tower.
#include "inference/vision_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/model_folder.h"

namespace compeer::inference {

namespace {

using nlohmann::json;

constexpr const char* file_names[] = {"preprocessor_config.json", "processor_config.json"};

size_t shown_by(const std::vector<Turn>& turns) {
  size_t count = 0;
  for (const Turn& turn : turns) count += turn.pictures.size();
  return count;
}

}  // namespace

VisionInput::VisionInput(const std::filesystem::path& folder, plugin::Plugin<Model>& model) : model_(model) {
  if (folder.empty()) return;
  const auto base = base_model(folder), file = base / "config.json";
  const json config = read_json_object(file);
  for (const char* key : {"image_token_id", "video_token_id"}) {
    if (config.contains(key) && config.at(key).is_number_integer())
      placeholders_.push_back(config.at(key).get<int32_t>());
  }
  for (const auto& from : {folder, base}) {
    const bool known =
        std::ranges::any_of(file_names, [&](const char* name) { return std::filesystem::exists(from / name); });
    if (placeholders_.empty() || !known || settings_) continue;
    settings_ = language::PictureSettings::load(from);
    settings_folder_ = from;
  }
}

const language::PictureSettings& VisionInput::settings() const {
  static const language::PictureSettings usual;
  return settings_ ? *settings_ : usual;
}

bool VisionInput::is_placeholder(int32_t token) const {
  return std::find(placeholders_.begin(), placeholders_.end(), token) != placeholders_.end();
}

std::vector<Picture> VisionInput::read(const std::vector<language::PictureFiles>& files,
                                       const std::string& where) const {
  std::vector<Picture> pictures;
  if (files.empty()) return pictures;
  check_sight(files.front().frames.front().string(), where);
  try {
    for (const auto& file : files) pictures.push_back(language::read_picture(file.frames, *settings_, file.seconds));
  } catch (const Error& error) {
    throw with_outer_location(where, error);
  }
  return pictures;
}

std::vector<Picture> VisionInput::read(std::span<const std::string> files, const std::string& where) const {
  std::vector<Picture> pictures;
  if (!files.empty()) check_sight("a picture", where);
  for (const auto& bytes : files)
    pictures.push_back(language::make_picture({language::decode_image(bytes, where)}, *settings_, where));
  return pictures;
}

void VisionInput::check_sight(const std::string& shown, const std::string& where) const {
  const auto refuse = [&](const std::string& what, const std::string& help) {
    throw Error(where, fmt::format("shows {}, but {}", shown, what), help, Exit::data);
  };
  if (placeholders_.empty())
    refuse("the model does not support pictures", "use one that does (qwen2_5_vl), or leave the pictures out");
  if (!settings_)
    refuse("the model folder has no preprocessor_config.json",
           "add it: it contains the settings of picture processing");
}

std::vector<Picture> VisionInput::read(const std::vector<Turn>& turns, const std::string& where) const {
  std::vector<language::PictureFiles> files;
  for (const Turn& turn : turns) {
    for (const auto& picture : turn.pictures) files.push_back({{picture}});
  }
  return read(files, where);
}

void VisionInput::expand_placeholders(std::vector<int32_t>& tokens, std::span<const Picture> pictures, bool repeated,
                                      const std::string& where) const {
  const auto stand = std::count_if(tokens.begin(), tokens.end(), [this](int32_t id) { return is_placeholder(id); });
  std::vector<int64_t> times;
  int64_t wanted = 0;
  for (const Picture& picture : pictures) {
    times.push_back(language::placeholders(picture, settings()));
    wanted += repeated ? times.back() : 1;
  }
  if (stand != wanted) {
    throw Error(
        where, fmt::format("has {} picture placeholders, but its {} pictures need {}", stand, pictures.size(), wanted),
        repeated ? ""
                 : "write one placeholder per picture; the chat template does so, and in a text they need --special",
        Exit::data);
  }
  if (repeated || pictures.empty()) return;
  std::vector<int32_t> all;
  auto next = times.begin();
  for (const int32_t id : tokens) all.insert(all.end(), is_placeholder(id) ? static_cast<size_t>(*next++) : 1, id);
  tokens = std::move(all);
}

std::vector<int32_t> VisionInput::prompt(const language::Chat& chat, const std::vector<Turn>& turns,
                                         std::span<const Picture> pictures, const std::string& where) const {
  std::vector<language::Message> messages;
  for (const Turn& turn : turns) messages.push_back({turn.role, turn.text, turn.pictures.size()});
  auto tokens = chat.prompt(messages);
  expand_placeholders(tokens, pictures.first(shown_by(turns)), false, where);
  return tokens;
}

std::vector<int32_t> VisionInput::prompt_of(const language::Chat& chat, const language::TokenizedMessages& lines,
                                            std::span<const Picture> pictures, const std::string& where) const {
  auto tokens = chat.prompt_of(lines);
  expand_placeholders(tokens, pictures, false, where);
  return tokens;
}

std::shared_ptr<const VisionFeatures> VisionInput::compute_vision(std::span<const int32_t> tokens, size_t from,
                                                                  int64_t first,
                                                                  const std::vector<Picture>& pictures) const {
  const auto count = [this](std::span<const int32_t> some) {
    return std::count_if(some.begin(), some.end(), [this](int32_t id) { return is_placeholder(id); });
  };
  const auto before = count(tokens.first(from)), all = before + count(tokens.subspan(from));
  std::vector<Picture> seen;
  int64_t placed = 0;
  for (const Picture& picture : pictures) {
    if (placed >= before && placed < all) seen.push_back(picture);
    placed += language::placeholders(picture, settings());
  }
  if (seen.empty()) return nullptr;
  return model_.call("encode", [&](Model& model) {
    return plugin::optional_interface<VisionModel>(model, "this model does not support pictures")
        .encode(tokens.subspan(from), first, seen);
  });
}

void VisionInput::save(const std::filesystem::path& folder) const {
  if (!settings_) return;
  for (const char* name : file_names) {
    if (std::filesystem::exists(settings_folder_ / name))
      write_file(folder / name, read_plain_file(settings_folder_ / name));
  }
}

}  // namespace compeer::inference
