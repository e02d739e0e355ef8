#include "language/picture_parts.h"

#include "base/error.h"

namespace compeer::language {

namespace {

using nlohmann::json;

std::filesystem::path file_of(const json& name, const std::string& where) {
  if (!name.is_string() || name.get_ref<const std::string&>().empty())
    throw Error(where, "a picture is named by " + name.dump().substr(0, 60), "the name of a PNG or JPEG file",
                Exit::data);
  const std::string text = name.get<std::string>();
  if (text.starts_with("file://")) return text.substr(7);
  if (text.find("://") != std::string::npos || text.starts_with("data:"))
    throw Error(where, "'" + text.substr(0, 40) + "' is no file", "pictures are read from files only", Exit::data);
  return text;
}

PictureFiles files_of(const json& names, const std::string& where) {
  PictureFiles files;
  if (!names.is_array()) {
    files.frames.push_back(file_of(names, where));
    return files;
  }
  for (const json& name : names) files.frames.push_back(file_of(name, where));
  if (files.frames.empty()) throw Error(where, "a video has no frames", "", Exit::data);
  return files;
}

// What a part of a message shows; null for text.
const json* shown(const json& part, const std::string& where) {
  if (!part.is_object()) return nullptr;
  const std::string type = part.value("type", json()).is_string() ? part.at("type").get<std::string>() : "";
  if (type != "image" && type != "video") return nullptr;
  for (const char* key : {type.c_str(), "path", "url"}) {
    if (part.contains(key)) return &part.at(key);
  }
  throw Error(where, "a part of type " + type + " names no file",
              "for example {\"type\": \"image\", \"image\": \"cat.png\"}", Exit::data);
}

double seconds_of(const json& part, const PictureSettings& settings, const std::string& where) {
  if (!part.contains("fps")) return 1.0;
  const json& fps = part.at("fps");
  if (!fps.is_number() || !(fps.get<double>() > 0))
    throw Error(where, "fps is " + fps.dump().substr(0, 60), "frames in a second, above 0", Exit::data);
  return static_cast<double>(settings.temporal_patch_size) / fps.get<double>();
}

}  // namespace

std::vector<PictureFiles> picture_list(const json& names, const std::string& where) {
  if (!names.is_array()) throw Error(where, "\"images\" is no list", "for example [\"cat.png\"]", Exit::data);
  std::vector<PictureFiles> all;
  for (const json& name : names) all.push_back(files_of(name, where));
  return all;
}

std::vector<PictureFiles> picture_parts(const json& messages, const PictureSettings& settings,
                                        const std::string& where) {
  std::vector<PictureFiles> all;
  for (const json& message : messages) {
    if (!message.is_object() || !message.contains("content") || !message.at("content").is_array()) continue;
    for (const json& part : message.at("content")) {
      const json* names = shown(part, where);
      if (!names) continue;
      all.push_back(files_of(*names, where));
      all.back().seconds = seconds_of(part, settings, where);
    }
  }
  return all;
}

}  // namespace compeer::language
