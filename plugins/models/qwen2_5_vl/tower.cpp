// The forward pass of the vision tower and its merger.
#include <ATen/ops/add.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>

#include <algorithm>

#include "decoder/decoder.h"
#include "kernels/functions.h"
#include "tower.h"

namespace compeer::qwen2_5_vl {

namespace {

// Appends the units of one time step, window by window; windows at the lower and right edges may be smaller.
void add_windows(int64_t first, int64_t height, int64_t width, const Vision& vision, PatchLayout& all) {
  const int64_t side = vision.window();
  for (int64_t top = 0; top < height; top += side) {
    for (int64_t left = 0; left < width; left += side) {
      const auto start = static_cast<int64_t>(all.order.size()) * vision.unit();
      for (int64_t y = top; y < std::min(top + side, height); ++y) {
        for (int64_t x = left; x < std::min(left + side, width); ++x) all.order.push_back(first + y * width + x);
      }
      all.windows.push_back({start, static_cast<int64_t>(all.order.size()) * vision.unit()});
    }
  }
}

// Appends the row and column of each patch of one time step.
void add_places(int64_t height, int64_t width, int64_t merge, PatchLayout& all) {
  for (int64_t top = 0; top < height; top += merge) {
    for (int64_t left = 0; left < width; left += merge) {
      for (int64_t i = 0; i < merge * merge; ++i) {
        all.row.push_back(top + i / merge);
        all.column.push_back(left + i % merge);
      }
    }
  }
}

using kernels::RowRange;
using kernels::Weight;

constexpr int64_t rows_at_once = 4096;  // bounds the memory of the widest layer

at::Tensor numbers(const std::vector<int64_t>& values) { return at::tensor(values, at::kLong); }

// Reorders x [patches, width] from the pictures' order to the tower's.
at::Tensor in_windows(const at::Tensor& x, const at::Tensor& order, int64_t unit) {
  return x.view({-1, unit * x.size(1)}).index_select(0, order).view({-1, x.size(1)});
}

at::Tensor patches_of(const std::vector<const Picture*>& pictures, int64_t patch) {
  std::vector<at::Tensor> parts;
  for (const Picture* picture : pictures) {
    const auto rows = static_cast<int64_t>(picture->patches.size()) / patch;
    parts.push_back(at::from_blob(const_cast<float*>(picture->patches.data()), {rows, patch}, at::kFloat));
  }
  return parts.size() == 1 ? parts[0] : at::cat(parts);
}

at::Tensor boundaries(const std::vector<RowRange>& spans) {
  std::vector<int64_t> ends{0};
  for (const RowRange& span : spans) ends.push_back(span.end);
  return numbers(ends);
}

// Returns the inverse permutation of `order`.
at::Tensor inverse(const std::vector<int64_t>& order) {
  std::vector<int64_t> places(order.size());
  for (size_t i = 0; i < order.size(); ++i) places[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return numbers(places);
}

}  // namespace

PatchLayout layout(const std::vector<const Picture*>& pictures, const Vision& vision) {
  PatchLayout all;
  for (const Picture* picture : pictures) {
    const int64_t height = picture->height / vision.spatial_merge_size;
    const int64_t width = picture->width / vision.spatial_merge_size;
    for (int64_t t = 0; t < picture->time; ++t) {
      const auto first = static_cast<int64_t>(all.order.size());
      add_windows(first, height, width, vision, all);
      add_places(picture->height, picture->width, vision.spatial_merge_size, all);
      all.frames.push_back({first * vision.unit(), static_cast<int64_t>(all.order.size()) * vision.unit()});
    }
  }
  return all;
}

std::vector<decoder::Entry> tower_entries(const Vision& v) {
  const int64_t width = v.hidden_size;
  std::vector<decoder::Entry> all{
      {"visual.patch_embed.proj.weight", {width, v.in_channels, v.temporal_patch_size, v.patch_size, v.patch_size}}};
  for (int64_t i = 0; i < v.depth; ++i) {
    const std::string block = "visual.blocks." + std::to_string(i) + ".";
    const auto linear = [&](const std::string& name, int64_t out, int64_t in) {
      all.push_back({block + name + ".weight", {out, in}});
      all.push_back({block + name + ".bias", {out}});
    };
    all.push_back({block + "norm1.weight", {width}});
    linear("attn.qkv", 3 * width, width);
    linear("attn.proj", width, width);
    all.push_back({block + "norm2.weight", {width}});
    linear("mlp.gate_proj", v.intermediate_size, width);
    linear("mlp.up_proj", v.intermediate_size, width);
    linear("mlp.down_proj", width, v.intermediate_size);
  }
  return all;
}

Tower::Tower(const Vision& vision, std::vector<Parameter> weights, decoder::ComputeOptions use)
    : vision_(vision),
      use_(std::move(use)),
      weights_(decoder::on_device(std::move(weights), use_.device, use_.bfloat16_compute)),
      rotary_(decoder::Rope(vision.rope_theta), vision.head_dim() / 2) {}

// Takes the weights in the order of `tower_entries`.
void Tower::assemble() {
  auto next = weights_.begin();
  const auto take = [&] { return (next++)->value; };
  const auto matrix = [&] {
    const at::Tensor value = take().flatten(1);
    return Weight(value, use_.options(value));
  };
  patch_embed_.push_back(matrix());
  for (int64_t i = 0; i < vision_.depth; ++i) {
    const at::Tensor norm1 = take();
    Weight qkv = matrix();
    const at::Tensor qkv_bias = take();
    Weight proj = matrix();
    const at::Tensor proj_bias = take(), norm2 = take();
    Weight gate = matrix();
    const at::Tensor gate_bias = take();
    Weight up = matrix();
    const at::Tensor up_bias = take();
    Weight down = matrix();
    blocks_.push_back({norm1, norm2, qkv_bias, proj_bias, gate_bias, up_bias, take(), std::move(qkv), std::move(proj),
                       std::move(gate), std::move(up), std::move(down), vision_.full_attention.contains(i)});
  }
}

at::Tensor Tower::units(const std::vector<const Picture*>& pictures, Traces* traces) {
  if (blocks_.empty()) assemble();
  const PatchLayout places = layout(pictures, vision_);
  const at::Tensor order = numbers(places.order);
  at::Tensor x = use_.arithmetic.linear(patches_of(pictures, vision_.patch()).to(use_.device), patch_embed_[0]);
  if (traces) {
    *traces = {{"window_index", order},
               {"cu_window_seqlens", boundaries(places.windows)},
               {"cu_seqlens", boundaries(places.frames)},
               {"row_column_of_patches", at::stack({numbers(places.row), numbers(places.column)}, 1)},
               {"patch_embed", x}};
  }
  x = in_windows(x, order.to(use_.device), vision_.unit());
  const auto turns = angles(places);
  for (size_t i = 0; i < blocks_.size(); ++i) {
    x = at::add(x, attention(blocks_[i], x, turns, places));
    x = at::add(x, feed_forward(blocks_[i], x));
    if (traces) (*traces)["block" + std::to_string(i)] = x;
  }
  return x.cpu().view({-1, vision_.unit() * vision_.hidden_size}).index_select(0, inverse(places.order));
}

// The first half of a head's frequencies uses the row of a patch, the second half its column.
decoder::Rotary::Angles Tower::angles(const PatchLayout& places) {
  const auto row = rotary_.angles({places.row, {}, {}}), column = rotary_.angles({places.column, {}, {}});
  const at::Tensor order = numbers(places.order);
  return {in_windows(at::cat({row.cosine, column.cosine}, 1), order, vision_.unit()).to(use_.device),
          in_windows(at::cat({row.sine, column.sine}, 1), order, vision_.unit()).to(use_.device)};
}

at::Tensor Tower::attention(TowerBlock& block, const at::Tensor& x, const decoder::Rotary::Angles& turns,
                            const PatchLayout& places) {
  const kernels::Heads heads{vision_.num_heads, vision_.num_heads, vision_.head_dim()};
  const at::Tensor h = use_.arithmetic.rms_norm(x, block.norm1, epsilon);
  const auto parts = use_.arithmetic.linear(h, block.qkv, block.qkv_bias).chunk(3, 1);
  const auto turned = [&](const at::Tensor& part) {
    return use_.arithmetic.rotate(part.contiguous(), turns.cosine, turns.sine, heads.query);
  };
  const auto seen = use_.arithmetic.attention_spans(turned(parts[0]), turned(parts[1]), parts[2].contiguous(),
                                                    block.full_attention ? places.frames : places.windows, heads);
  return use_.arithmetic.linear(seen, block.proj, block.proj_bias);
}

at::Tensor Tower::feed_forward(TowerBlock& block, const at::Tensor& x) {
  std::vector<at::Tensor> parts;
  for (const at::Tensor& rows : x.split(rows_at_once)) {
    const at::Tensor h = use_.arithmetic.rms_norm(rows, block.norm2, epsilon);
    const auto gate = use_.arithmetic.linear(h, block.gate, block.gate_bias);
    const auto up = use_.arithmetic.linear(h, block.up, block.up_bias);
    parts.push_back(use_.arithmetic.linear(use_.arithmetic.swiglu(gate, up), block.down, block.down_bias));
  }
  return parts.size() == 1 ? parts[0] : at::cat(parts);
}

std::vector<decoder::Entry> merger_entries(const Vision& v) {
  const int64_t merged = v.hidden_size * v.unit();
  return {{"visual.merger.ln_q.weight", {v.hidden_size}},
          {"visual.merger.mlp.0.weight", {merged, merged}},
          {"visual.merger.mlp.0.bias", {merged}},
          {"visual.merger.mlp.2.weight", {v.out_hidden_size, merged}},
          {"visual.merger.mlp.2.bias", {v.out_hidden_size}}};
}

Merger::Merger(const Vision& vision, std::vector<Parameter> weights, decoder::ComputeOptions use)
    : vision_(vision), use_(std::move(use)) {
  use_.storage.round(weights);
  weights_ = decoder::on_device(std::move(weights), use_.device, use_.bfloat16_compute);
}

at::Tensor Merger::features(const at::Tensor& units) {
  const auto value = [&](size_t entry) { return weights_[entry].value; };
  if (linear_.empty()) {
    for (const size_t entry : {1, 3}) linear_.emplace_back(value(entry), use_.options(value(entry)));
  }
  const kernels::Arithmetic& a = use_.arithmetic;
  const auto normed =
      a.rms_norm(units.to(use_.device).view({-1, vision_.hidden_size}), value(0), epsilon).view(units.sizes());
  const auto inner = a.linear(normed, linear_[0], value(2));
  return a.linear(inner.is_cpu() ? kernels::gelu(inner) : at::gelu(inner), linear_[1], value(4));
}

void Merger::parameters_changed() {
  for (kernels::Weight& weight : linear_) weight.changed();
}

}  // namespace compeer::qwen2_5_vl
