#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "compeer/model.h"
#include "config.h"

namespace compeer::qwen2_5_vl {

/// Throws Error (exit 4) unless the picture's patches have the sizes the tower needs.
void check_picture(const Picture& picture, const Vision& vision);

/// Returns true for image and video placeholders, whose embeddings are replaced by vision features.
inline bool placeholder(int64_t token, const VlConfig& config) {
  return token == config.image_token || token == config.video_token;
}

/// Returns VisionFeatures with `positions` and `next` but without features. `first`: rotary position of the first
/// token. Text advances by one on all three axes. The token of time t, row y and column x of a picture that begins at p
/// is at (p + time, p + y, p + x); the next token is at p + max(height, width), in units. In a video, time is t *
/// seconds * tokens_per_second, rounded down. Throws Error (exit 4) if the placeholders do not match `pictures`: one
/// contiguous run for each, of the picture's kind.
VisionFeatures place(std::span<const int32_t> tokens, int64_t first, const std::vector<Picture>& pictures,
                     const VlConfig& config);

}  // namespace compeer::qwen2_5_vl
