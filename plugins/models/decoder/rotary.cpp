// Rotary positions and their cosines and sines.
#include "rotary.h"

#include <ATen/ops/empty.h>

#include <c10/util/BFloat16.h>

#include <algorithm>
#include <cmath>

namespace compeer::decoder {

namespace {

// Appends the positions of a segment with pictures.
void add_seen(const Segment& segment, Positions& all) {
  const auto& given = segment.vision->positions;
  TORCH_CHECK(given.dim() == 2 && given.size(0) == 3 && given.size(1) == segment.length,
              "vision features have one position per axis for each of its segment's tokens");
  for (size_t axis = 0; axis < all.size(); ++axis) {
    const at::Tensor row = given[static_cast<int64_t>(axis)].contiguous();
    const auto* from = row.const_data_ptr<int64_t>();
    all[axis].insert(all[axis].end(), from, from + segment.length);
  }
}

}  // namespace

Positions positions(const Batch& batch) {
  Positions all;
  for (const Segment& segment : batch.segments) {
    if (segment.vision) {
      add_seen(segment, all);
      continue;
    }
    for (auto& axis : all) {
      for (int64_t i = 0; i < segment.length; ++i) axis.push_back(segment.position + segment.rope_offset + i);
    }
  }
  return all;
}

Rotary::Rotary(const Rope& rope, int64_t dim, at::ScalarType precision)
    : half_(dim / 2), magnitude_(rope.magnitude), frequency_(frequencies(rope, dim)) {
  if (precision == at::kBFloat16) {
    for (float& frequency : frequency_) frequency = static_cast<float>(c10::BFloat16(frequency));
  }
  for (size_t section = 0; section < rope.sections.size(); ++section)
    axis_.insert(axis_.end(), static_cast<size_t>(rope.sections[section]), section % 3);
  axis_.resize(static_cast<size_t>(half_), 0);
}

void Rotary::grow(int64_t positions) {
  const auto scaled = [&](double value) { return static_cast<float>(value) * static_cast<float>(magnitude_); };
  for (int64_t p = static_cast<int64_t>(cosine_.size()) / half_; p < positions; ++p) {
    for (const float frequency : frequency_) {
      const float angle = static_cast<float>(p) * frequency;
      cosine_.push_back(scaled(std::cos(static_cast<double>(angle))));
      sine_.push_back(scaled(std::sin(static_cast<double>(angle))));
    }
  }
}

Rotary::Angles Rotary::angles(const Positions& positions) {
  const auto rows = static_cast<int64_t>(positions[0].size());
  int64_t last = -1;
  for (const auto& axis : positions) {
    for (const int64_t p : axis) {
      TORCH_CHECK(p >= 0, "a rotary position is negative: ", p);
      last = std::max(last, p);
    }
  }
  grow(last + 1);
  Angles result{at::empty({rows, half_}, at::kFloat), at::empty({rows, half_}, at::kFloat)};
  auto* cosine = result.cosine.mutable_data_ptr<float>();
  auto* sine = result.sine.mutable_data_ptr<float>();
  for (size_t r = 0; r < positions[0].size(); ++r) {
    for (size_t i = 0; i < axis_.size(); ++i) {
      const auto from = static_cast<size_t>(positions[axis_[i]][r] * half_) + i;
      *cosine++ = cosine_[from];
      *sine++ = sine_[from];
    }
  }
  return result;
}

}  // namespace compeer::decoder
