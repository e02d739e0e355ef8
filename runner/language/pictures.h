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

// Preprocessing of pictures for vision models. A picture is a still image or a video. It becomes patches, which the
// model's vision tower turns into one token per merge_size x merge_size patches; in the text of a prompt, the same
// number of placeholder tokens marks its position.

namespace compeer::language {

/// Preprocessing settings of a vision model: preprocessor_config.json, or "image_processor" in processor_config.json.
struct PictureSettings {
  int64_t min_pixels = 56 * 56, max_pixels = 28 * 28 * 1280;  ///< limits on a frame's pixels after resizing
  /// Pixels per side of a patch; frames per patch; patches per side that make one token.
  int64_t patch_size = 14, temporal_patch_size = 2, merge_size = 2;
  /// Mean and standard deviation per colour channel (red, green, blue), which normalization removes.
  std::array<float, 3> mean{0.48145466f, 0.4578275f, 0.40821073f};
  std::array<float, 3> std_dev{0.26862954f, 0.26130258f, 0.27577711f};
  double rescale_factor = 1.0 / 255.0;  ///< factor of 8-bit values before normalization

  /// Reads the settings of a model folder. Throws Error (exit code 4: invalid data), naming file and key, if the file
  /// is missing, a value is invalid, or a step that is always done is turned off (do_resize, do_rescale, do_normalize,
  /// do_convert_rgb, bicubic resampling).
  static PictureSettings load(const std::filesystem::path& folder);
};

/// Preprocesses a still image (one frame) or a video (several frames of one size): resizes, normalizes to mean 0 and
/// deviation 1, and cuts into patches. A patch covers `temporal_patch_size` frames; a still, or the last frame, is
/// repeated to fill it. Layout of Picture::patches: for each point in time, units of merge_size x merge_size patches in
/// row-major order; within a unit its patches in row-major order; a patch is [3, temporal_patch_size, patch_size,
/// patch_size]. Picture::seconds of a video is 1. Throws Error (exit code 4), located at `where`, for no frames or an
/// unusable size.
Picture make_picture(const std::vector<Image>& frames, const PictureSettings& settings, const std::string& where);

/// The same for image files. `seconds`: time between temporal patches, for Picture::seconds; if given, the result is a
/// video even with one frame.
Picture read_picture(const std::vector<std::filesystem::path>& frames, const PictureSettings& settings,
                     std::optional<double> seconds = {});

/// Returns the number of placeholder tokens of a picture: its patches divided by merge_size^2.
int64_t placeholders(const Picture& picture, const PictureSettings& settings);

/// The files of a picture: one for a still, or the frames of a video.
struct PictureFiles {
  std::vector<std::filesystem::path> frames;  ///< PNG or JPEG files, at least one
  std::optional<double> seconds = {};         ///< videos: time that temporal_patch_size frames take; empty: a still
};

/// Parses a list of pictures: "cat.png" for a still image, ["1.png", "2.png"] for a video. Opens no file. Throws Error
/// (exit code 4), located at `where`, for other values.
std::vector<PictureFiles> picture_list(const nlohmann::json& names, const std::string& where);

/// Returns the pictures in the contents of messages, in order: parts {"type": "image", "image": "cat.png"} and
/// {"type": "video", "video": ["1.png", "2.png"], "fps": 2} (frames per second; default: one patch per second). The
/// keys "path" and "url" are accepted in place of "image" and "video", and names may begin with file://. Throws Error
/// (exit code 4), located at `where`, for a part without a file, an image of several files, or a network address.
std::vector<PictureFiles> picture_parts(const nlohmann::json& messages, const PictureSettings& settings,
                                        const std::string& where);

}  // namespace compeer::language
