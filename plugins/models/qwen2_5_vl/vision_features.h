#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "compeer/model.h"
#include "config.h"

namespace compeer::qwen2_5_vl {

// Rotary positions of tokens with images and videos among them, for the model plugin Qwen2.5-VL. A picture (an image or
// a video) is represented by consecutive placeholder tokens, one for each square of patches that the vision tower
// merges.

/// Throws Error (exit code 4: invalid data) unless the picture's patches have the number and size that the tower needs.
void check_picture(const Picture& picture, const Vision& vision);

/// Returns true for image and video placeholders, whose embeddings are replaced by vision features.
inline bool placeholder(int64_t token, const VlConfig& config) {
  return token == config.image_token || token == config.video_token;
}

/// Returns the rotary positions of `tokens`: VisionFeatures with `positions` and `next`, but without features. `first`:
/// rotary position of the first token. `pictures`: those of the placeholders, in order. Text advances by one on all
/// three axes. The token of time step t, row y and column x of a picture that begins at p is at (p + time, p + y, p +
/// x); the token after the picture is at p + max(height, width). Rows and columns are counted in merged squares. In a
/// video, time is t * Picture::seconds * Vision::tokens_per_second, rounded down. Throws Error (exit code 4) unless
/// each picture has one contiguous run of placeholders of its kind.
VisionFeatures place(std::span<const int32_t> tokens, int64_t first, const std::vector<Picture>& pictures,
                     const VlConfig& config);

}  // namespace compeer::qwen2_5_vl
