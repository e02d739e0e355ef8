#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "compeer/picture.h"
#include "language/image_file.h"

namespace compeer::language {

/// How a model's folder wants pictures: preprocessor_config.json, or what processor_config.json calls image_processor.
struct PictureSettings {
  int64_t min_pixels = 56 * 56, max_pixels = 28 * 28 * 1280;
  int64_t patch_size = 14, temporal_patch_size = 2, merge_size = 2;
  std::array<float, 3> mean{0.48145466f, 0.4578275f, 0.40821073f};
  std::array<float, 3> deviation{0.26862954f, 0.26130258f, 0.27577711f};
  double rescale_factor = 1.0 / 255.0;

  /// Throws Error (exit 4) naming the file and the key: missing file, values that make no sense, steps left out that
  /// this room always takes (do_resize, do_rescale, do_normalize, bicubic).
  static PictureSettings load(const std::filesystem::path& folder);
};

/// A still picture, or a video as its frames: `temporal_patch_size` frames to one patch in time, a still or the last
/// frame repeated to fill it; several frames make a video, a second between places in time. Resized to what the
/// settings allow, brought to mean 0 and deviation 1, and cut. Patches stand in units of merge_size x merge_size, unit
/// after unit along a row of units, row by row within a unit. A patch is channel, then time, then its rows of pixels.
/// Frames must have one size. Throws Error (exit 4) with `where`.
Picture make_picture(const std::vector<Image>& frames, const PictureSettings& settings, const std::string& where);

/// From files: one for a still picture, several for a video. With `seconds` it is a video, however many they are.
Picture read_picture(const std::vector<std::filesystem::path>& frames, const PictureSettings& settings,
                     std::optional<double> seconds = {});

/// How many placeholder tokens stand for it.
int64_t placeholders(const Picture& picture, const PictureSettings& settings);

/// A picture that somebody named: one file, or the frames of a video.
struct PictureFiles {
  std::vector<std::filesystem::path> frames;
  std::optional<double> seconds = {};  ///< a video's time from one place to the next: temporal_patch_size frames
};

/// A list of names: "cat.png", or ["1.png", "2.png"] for a video. Throws Error (exit 4) with `where`.
std::vector<PictureFiles> picture_list(const nlohmann::json& names, const std::string& where);

/// The pictures among the contents of messages, in order: parts {"type": "image", "image": "cat.png"} and {"type":
/// "video", "video": ["1.png", "2.png"], "fps": 2}, where fps says how many of these frames make a second ("path" and
/// "url" may stand for "image" and "video"; file:// may stand before a name). Throws Error (exit 4) with `where` for
/// parts without a file, pictures of several files, and addresses in the network.
std::vector<PictureFiles> picture_parts(const nlohmann::json& messages, const PictureSettings& settings,
                                        const std::string& where);

}  // namespace compeer::language
