// Cuts pictures into normalized patches, and finds them in requests.
#include "language/pictures.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "language/image_format.h"
#include "language/resize.h"

namespace compeer::language {

namespace {

// [channel][value]: (value - mean / rescale) / (deviation / rescale), in float32 as in torchvision.
using Tables = std::array<std::array<float, 256>, 3>;
Tables tables(const PictureSettings& settings) {
  Tables result;
  const auto unit = static_cast<float>(1.0 / settings.rescale_factor);
  for (size_t c = 0; c < 3; ++c) {
    const float mean = settings.mean[c] * unit, deviation = settings.std_dev[c] * unit;
    for (size_t v = 0; v < 256; ++v) result[c][v] = (static_cast<float>(v) - mean) / deviation;
  }
  return result;
}

// Writes one frame into the patches of its point in time, as frame `slot` of `temporal_patch_size`.
void cut(const Image& frame, int64_t slot, const Tables& table, const PictureSettings& s, float* patches) {
  const int64_t p = s.patch_size, merge = s.merge_size, area = p * p;
  const int64_t width = frame.width / p, units_across = width / merge, patch = 3 * s.temporal_patch_size * area;
  for (int64_t y = 0; y < frame.height; ++y) {
    const int64_t row = y / p, unit_row = row / merge;
    for (int64_t column = 0; column < width; ++column) {
      const int64_t unit = unit_row * units_across + column / merge;
      const int64_t index = (unit * merge + row % merge) * merge + column % merge;
      const uint8_t* in = frame.pixels.data() + 3 * (y * frame.width + column * p);
      for (int64_t c = 0; c < 3; ++c) {
        const auto& values = table[static_cast<size_t>(c)];
        float* out = patches + index * patch + (c * s.temporal_patch_size + slot) * area + y % p * p;
        for (int64_t x = 0; x < p; ++x) out[x] = values[in[3 * x + c]];
      }
    }
  }
}

using nlohmann::json;

std::filesystem::path file_of(const json& name, const std::string& where) {
  if (!name.is_string() || name.get_ref<const std::string&>().empty())
    throw Error(where, "a picture must be a file name, not " + name.dump().substr(0, 60),
                "pass the name of a PNG or JPEG file", Exit::data);
  const std::string text = name.get<std::string>();
  if (text.starts_with("file://")) return text.substr(7);
  if (text.find("://") != std::string::npos || text.starts_with("data:"))
    throw Error(where, "'" + text.substr(0, 40) + "' is not a file name",
                "pass a file name; URLs and data URIs are not supported", Exit::data);
  return text;
}

// One name is a still; a list is a video, even with one frame.
PictureFiles files_of(const json& names, const std::string& where) {
  if (!names.is_array()) return {{file_of(names, where)}};
  PictureFiles files{{}, 1.0};
  for (const json& name : names) files.frames.push_back(file_of(name, where));
  if (files.frames.empty()) throw Error(where, "a video has no frames", "", Exit::data);
  return files;
}

// Returns "image" or "video"; empty for other parts.
std::string type_of(const json& part) {
  if (!part.is_object() || !part.value("type", json()).is_string()) return "";
  const auto type = part.at("type").get<std::string>();
  return type == "image" || type == "video" ? type : "";
}

const json& names_in(const json& part, const std::string& type, const std::string& where) {
  for (const char* key : {type.c_str(), "path", "url"}) {
    if (part.contains(key)) return part.at(key);
  }
  throw Error(where, "a part of type " + type + " has no file name",
              "for example {\"type\": \"image\", \"image\": \"cat.png\"}", Exit::data);
}

double seconds_of(const json& part, const PictureSettings& settings, const std::string& where) {
  if (!part.contains("fps")) return 1.0;
  const json& fps = part.at("fps");
  if (!fps.is_number() || !(fps.get<double>() > 0))
    throw Error(where, "fps is " + fps.dump().substr(0, 60), "set it to the frames per second, above 0", Exit::data);
  return static_cast<double>(settings.temporal_patch_size) / fps.get<double>();
}

}  // namespace

Picture make_picture(const std::vector<Image>& frames, const PictureSettings& s, const std::string& where) {
  if (frames.empty()) throw Error(where, "is a video without frames", "", Exit::data);
  const Size size{frames[0].height, frames[0].width};
  for (const Image& frame : frames) {
    if (Size{frame.height, frame.width} != size)
      throw Error(
          where,
          fmt::format("has frames of {} x {} and {} x {} pixels", size.width, size.height, frame.width, frame.height),
          "use frames of the same size", Exit::data);
  }
  const Size fitted = smart_resize(size, s.patch_size * s.merge_size, s.min_pixels, s.max_pixels, where);
  check_size(fitted.height, fitted.width, where);
  const auto count = static_cast<int64_t>(frames.size()), slots = s.temporal_patch_size;
  Picture picture;
  picture.time = (count + slots - 1) / slots;
  picture.height = fitted.height / s.patch_size;
  picture.width = fitted.width / s.patch_size;
  if (count > 1) picture.seconds = 1.0;
  const int64_t step = 3 * slots * fitted.height * fitted.width;  // floats per point in time
  picture.patches.resize(static_cast<size_t>(picture.time * step));
  const Tables table = tables(s);
  for (int64_t i = 0; i < count; ++i) {
    const Image& frame = frames[static_cast<size_t>(i)];
    const Image resized = size == fitted ? Image() : resize(frame, fitted);
    const int64_t until = i + 1 < count ? i + 1 : picture.time * slots;
    for (int64_t j = i; j < until; ++j)
      cut(size == fitted ? frame : resized, j % slots, table, s, picture.patches.data() + j / slots * step);
  }
  return picture;
}

Picture read_picture(const std::vector<std::filesystem::path>& frames, const PictureSettings& settings,
                     std::optional<double> seconds) {
  std::vector<Image> images;
  for (const auto& file : frames) images.push_back(read_image(file));
  Picture picture = make_picture(images, settings, frames.empty() ? "video" : frames[0].string());
  if (seconds) picture.seconds = seconds;
  return picture;
}

int64_t placeholders(const Picture& picture, const PictureSettings& settings) {
  return picture.time * picture.height * picture.width / (settings.merge_size * settings.merge_size);
}

std::vector<PictureFiles> picture_list(const json& names, const std::string& where) {
  if (!names.is_array()) throw Error(where, "\"images\" is not a list", "for example [\"cat.png\"]", Exit::data);
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
        throw Error(where, "a part of type image contains a list", "use a part of type video for the frames of a video",
                    Exit::data);
    }
  }
  return all;
}

}  // namespace compeer::language
