// Checks the path from picture files to vision features.
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include "language/resize.h"
#include "tools/verify/vl.h"

namespace compeer::verify {

namespace {

using nlohmann::json;

// Pixels that are not resized are bitwise identical except for one rounding; sums over a picture are compared relative
// to the sum of magnitudes.
constexpr double pixel_tolerance = 1e-6, sum_tolerance = 1e-7;

at::Tensor patches_of(const Picture& picture) {
  const int64_t rows = picture.time * picture.height * picture.width;
  return at::from_blob(const_cast<float*>(picture.patches.data()),
                       {rows, static_cast<int64_t>(picture.patches.size()) / rows}, at::kFloat);
}

// Compares the patches with those of either resizer, as far as the file contains them.
void check_patches(const VlCase& vl, size_t i, std::vector<Check>& checks) {
  const json& image = vl.golden.at("images").at(i);
  const auto patches = patches_of(vl.pictures[i]);
  const std::string name = fmt::format("image{}.pixel_values", i);
  double error = INFINITY;
  const auto compare = [&](const std::string& key, int64_t every) {
    if (!vl.tensors.has(key)) return;
    const auto rows = patches.slice(0, 0, patches.size(0), every);
    error = std::min(error, largest_difference(rows, reference_tensor(vl.tensors, key), key));
  };
  compare(name, 1);
  compare(name + "_every14", 14);
  const double torchvision = error;
  compare(name + "_pil_every3", 3);
  if (std::isfinite(error)) checks.push_back(check(name, error, pixel_tolerance, "either resizer"));

  // The sums are those of torchvision. A picture that matches Pillow instead may differ by the difference of the two.
  const double between = image.value("resized", false) && torchvision > pixel_tolerance
                             ? image.at("max_abs_difference_of_the_two_resizers").get<double>()
                             : 0.0;
  const auto exact = patches.to(at::kDouble);
  const double magnitude = image.at("abs_sum"), slack = between * static_cast<double>(patches.numel()) / magnitude;
  Largest sums;
  sums.take(std::abs(exact.sum().item<double>() - image.at("sum").get<double>()) / magnitude);
  sums.take(std::abs(exact.abs().sum().item<double>() - magnitude) / magnitude);
  checks.push_back(sums.check(fmt::format("images[{}].sum", i), sum_tolerance + slack, "sums, relative"));
}

void check_grids(const VlCase& vl, std::vector<Check>& checks) {
  Largest wrong;
  for (size_t i = 0; i < vl.pictures.size(); ++i) {
    const json& image = vl.golden.at("images").at(i);
    const Picture& p = vl.pictures[i];
    const int64_t side = vl.settings.patch_size;
    wrong.take(image.at("grid_thw") == json{p.time, p.height, p.width} ? 0 : 1);
    wrong.take(image.at("resized_height") == p.height * side && image.at("resized_width") == p.width * side ? 0 : 1);
    wrong.take(image.at("patches") == p.time * p.height * p.width ? 0 : 1);
    wrong.take(image.at("tokens") == language::placeholders(p, vl.settings) ? 0 : 1);
  }
  checks.push_back(wrong.check("images.grid", 0, "sizes"));
}

void check_sizes(const VlCase& vl, std::vector<Check>& checks) {
  const auto resized = [](const json& row, const json& limits) {
    return language::smart_resize({row.at("height"), row.at("width")}, limits.value("factor", int64_t{28}),
                                  limits.value("min_pixels", int64_t{3136}),
                                  limits.value("max_pixels", int64_t{12845056}), "smart_resize");
  };
  if (vl.golden.contains("smart_resize")) {
    Largest wrong;
    for (const json& row : vl.golden.at("smart_resize")) {
      const auto size = resized(row, row);
      wrong.take(row.at("resized") == json{size.height, size.width} ? 0 : 1);
    }
    checks.push_back(wrong.check("smart_resize", 0, "sizes"));
  }
  if (vl.golden.contains("smart_resize_rejects")) {
    Largest accepted;
    const json& rejects = vl.golden.at("smart_resize_rejects");
    for (const json& row : rejects.is_array() ? rejects : json::array({rejects})) {
      try {
        resized(row, row);
        accepted.take(1);
      } catch (const Error&) {
        accepted.take(0);
      }
    }
    checks.push_back(accepted.check("smart_resize_rejects", 0, "sizes"));
  }
}

using Seen = std::map<std::string, at::Tensor>;

Seen intermediate_results(const VlCase& vl, Model& model, const std::vector<size_t>& which) {
  std::vector<Picture> pictures;
  for (const size_t i : which) pictures.push_back(vl.pictures.at(i));
  return vision_model(model).intermediate_results(pictures);
}

at::Tensor whole_numbers(const json& values) {
  if (!values.empty() && values[0].is_array()) {
    std::vector<at::Tensor> rows;
    for (const json& row : values) rows.push_back(whole_numbers(row));
    return at::cat(rows).view({static_cast<int64_t>(values.size()), -1});
  }
  return at::tensor(values.get<std::vector<int64_t>>(), at::kLong);
}

}  // namespace

void check_pictures(const VlCase& vl, std::vector<Check>& checks) {
  check_grids(vl, checks);
  for (size_t i = 0; i < vl.pictures.size(); ++i) check_patches(vl, i, checks);
  check_sizes(vl, checks);
}

void check_sight(const VlCase& vl, Model& model, std::vector<Check>& checks) {
  for (const json& part : vl.golden.at("vision")) {
    const auto which = part.at("images").get<std::vector<size_t>>();
    const Seen seen = intermediate_results(vl, model, which);
    Largest wrong;
    for (const char* key : {"window_index", "cu_window_seqlens", "cu_seqlens", "row_column_of_patches"}) {
      if (part.contains(key) && !part.at(key).is_null())
        wrong.take(at::equal(seen.at(key), whole_numbers(part.at(key))) ? 0 : 1);
    }
    checks.push_back(wrong.check(fmt::format("vision{}", json(which).dump()), 0, "lists"));
  }
  std::vector<size_t> all;
  std::vector<at::Tensor> one_by_one;
  for (size_t i = 0; i < vl.pictures.size(); ++i) {
    const Seen seen = intermediate_results(vl, model, {i});
    all.push_back(i);
    one_by_one.push_back(seen.at("features"));
    for (const auto& [key, value] : seen) {
      const std::string name = fmt::format("image{}.{}", i, key);
      if (vl.tensors.has(name))
        checks.push_back(check(name, largest_difference(value, reference_tensor(vl.tensors, name), name),
                               vl_logit_tolerance, fmt::format("{} values", value.numel())));
    }
  }
  const auto together = intermediate_results(vl, model, all).at("features");
  if (const std::string name = "images_all.features"; vl.tensors.has(name))
    checks.push_back(check(name, largest_difference(together, reference_tensor(vl.tensors, name), name),
                           vl_logit_tolerance, fmt::format("{} values", together.numel())));
  if (model.shape().exact)
    checks.push_back(check("features one by one", at::equal(together, at::cat(one_by_one)) ? 0 : 1, 0,
                           "bit for bit those of all together"));
}

}  // namespace compeer::verify
