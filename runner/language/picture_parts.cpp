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

// A list is a video, even if it has one frame.
PictureFiles files_of(const json& names, const std::string& where) {
  if (!names.is_array()) return {{file_of(names, where)}};
  PictureFiles files{{}, 1.0};
  for (const json& name : names) files.frames.push_back(file_of(name, where));
  if (files.frames.empty()) throw Error(where, "a video has no frames", "", Exit::data);
  return files;
}

// "image" or "video"; empty for text.
std::string type_of(const json& part) {
  if (!part.is_object() || !part.value("type", json()).is_string()) return "";
  const auto type = part.at("type").get<std::string>();
  return type == "image" || type == "video" ? type : "";
}

const json& names_in(const json& part, const std::string& type, const std::string& where) {
  for (const char* key : {type.c_str(), "path", "url"}) {
    if (part.contains(key)) return part.at(key);
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
      const auto type = type_of(part);
      if (type.empty()) continue;
      all.push_back(files_of(names_in(part, type, where), where));
      if (type == "video") all.back().seconds = seconds_of(part, settings, where);
      if (type == "image" && all.back().seconds)
        throw Error(where, "a part of type image names a list", "the frames of a video are a part of type video",
                    Exit::data);
    }
  }
  return all;
}

}  // namespace compeer::language
