#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "language/pictures.h"

namespace compeer::language {

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
