#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "compeer/model.h"
#include "config.h"

namespace compeer::qwen2_5_vl {

/// Throws Error (exit 4) unless the picture is cut as the tower needs it.
void check_picture(const Picture& picture, const Vision& vision);

/// True for tokens whose place is taken by what the tower sees.
inline bool placeholder(int64_t token, const VlConfig& config) {
  return token == config.image_token || token == config.video_token;
}

/// `positions` and `next` of a VisionFeatures, without features. Text counts on by one on all three axes. A picture of
/// h x w units that begins at p stands at (p + time, p + row, p + column), and what follows at p + max(h, w); time
/// counts seconds * tokens_per_second from one place of a video to the next. Throws Error (exit 4) if the placeholders
/// among the tokens are not those of `pictures`: one unbroken run for each, a video's for a video.
VisionFeatures place(std::span<const int32_t> tokens, int64_t first, const std::vector<Picture>& pictures,
                     const VlConfig& config);

}  // namespace compeer::qwen2_5_vl
