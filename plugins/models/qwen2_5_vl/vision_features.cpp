// Rotary positions of tokens with pictures among them.
#include "vision_features.h"

#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace compeer::qwen2_5_vl {

namespace {

int64_t tokens_of(const Picture& picture, const Vision& vision) {
  return picture.time * picture.height * picture.width / vision.unit();
}

[[noreturn]] void refuse(const std::string& what, const std::string& help = "") {
  throw Error("", what, help, Exit::data);
}

void check_counts(std::span<const int32_t> tokens, const std::vector<Picture>& pictures, const VlConfig& config) {
  const auto found = std::count_if(tokens.begin(), tokens.end(), [&](int32_t t) { return placeholder(t, config); });
  int64_t needed = 0;
  for (const Picture& picture : pictures) needed += tokens_of(picture, config.vision);
  if (found == needed) return;
  refuse(fmt::format("the tokens contain {} placeholders, but {} pictures require {}", found, pictures.size(), needed));
}

// Checks that the run of placeholders at the beginning of `tokens` is of the picture's kind and long enough.
void check_run(std::span<const int32_t> tokens, const Picture& picture, size_t number, const VlConfig& config) {
  const auto length = static_cast<size_t>(tokens_of(picture, config.vision));
  const bool video = tokens[0] == config.video_token;
  if (video && !picture.seconds)
    refuse(fmt::format("picture {} is a still picture, but has placeholders of a video", number),
           R"(show it as an image ({"type": "image"}), or as a video of one frame: a list of one file)");
  if (!video && picture.seconds)
    refuse(fmt::format("picture {} is a video, but has placeholders of a still picture", number),
           R"(show it as a video ({"type": "video"}), or one frame of it: a file's name instead of a list)");
  if (tokens.size() < length || std::any_of(tokens.begin(), tokens.begin() + static_cast<ptrdiff_t>(length),
                                            [&](int32_t t) { return t != tokens[0]; }))
    refuse(fmt::format("picture {} has {} tokens, but fewer consecutive placeholders", number, length));
}

// Writes the positions token by token.
class PositionWriter {
 public:
  PositionWriter(int64_t tokens, int64_t first)
      : positions_(at::empty({3, tokens}, at::kLong)),
        out_(positions_.mutable_data_ptr<int64_t>()),
        tokens_(tokens),
        next_(first) {}

  void text() { write(next_, next_, next_), ++next_; }

  void picture(const Picture& picture, const Vision& vision) {
    const int64_t height = picture.height / vision.spatial_merge_size;
    const int64_t width = picture.width / vision.spatial_merge_size;
    // In float32, like the reference implementation.
    const auto step =
        picture.seconds ? static_cast<float>(static_cast<double>(vision.tokens_per_second) * *picture.seconds) : 1.0f;
    for (int64_t t = 0; t < picture.time; ++t) {
      const auto time = static_cast<int64_t>(static_cast<float>(t) * step);
      for (int64_t y = 0; y < height; ++y) {
        for (int64_t x = 0; x < width; ++x) write(next_ + time, next_ + y, next_ + x);
      }
    }
    next_ += std::max(height, width);
  }

  VisionFeatures vision() const { return {at::Tensor(), positions_, next_}; }

 private:
  void write(int64_t time, int64_t row, int64_t column) {
    out_[at_] = time, out_[tokens_ + at_] = row, out_[2 * tokens_ + at_] = column;
    ++at_;
  }

  at::Tensor positions_;
  int64_t* out_;
  int64_t tokens_, next_, at_ = 0;
};

}  // namespace

void check_picture(const Picture& picture, const Vision& vision) {
  const int64_t merge = vision.spatial_merge_size, patches = picture.time * picture.height * picture.width;
  if (picture.time < 1 || picture.height < 1 || picture.width < 1 || picture.height % merge || picture.width % merge)
    refuse(fmt::format("a picture of {} x {} x {} patches can't be merged in squares of {}", picture.time,
                       picture.height, picture.width, merge));
  if (static_cast<int64_t>(picture.patches.size()) != patches * vision.patch())
    refuse(fmt::format("a picture of {} patches has {} numbers; the model takes {} for each", patches,
                       picture.patches.size(), vision.patch()));
}

VisionFeatures place(std::span<const int32_t> tokens, int64_t first, const std::vector<Picture>& pictures,
                     const VlConfig& config) {
  check_counts(tokens, pictures, config);
  PositionWriter positions(static_cast<int64_t>(tokens.size()), first);
  size_t seen = 0;
  for (size_t i = 0; i < tokens.size();) {
    if (!placeholder(tokens[i], config)) {
      positions.text(), ++i;
      continue;
    }
    const Picture& picture = pictures[seen++];
    check_run(tokens.subspan(i), picture, seen, config);
    positions.picture(picture, config.vision);
    i += static_cast<size_t>(tokens_of(picture, config.vision));
  }
  return positions.vision();
}

}  // namespace compeer::qwen2_5_vl
