#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "inference/open_model.h"
#include "language/pictures.h"
#include "tools/verify/values.h"

/// Parts of the check of a small Qwen2.5-VL model: vision and text.
namespace compeer::verify {

/// A model folder with pictures and reference values: golden.json and golden.safetensors.
struct VlCase {
  explicit VlCase(const std::filesystem::path& folder);

  nlohmann::json golden;
  record::Safetensors tensors;
  language::PictureSettings settings;
  std::vector<Picture> pictures;  ///< the files of golden.json's images[]
};

/// The reference is a float32 run of tower and text model. On the copies in tests/golden it differs by up to 7e-6
/// (log-probabilities) and 5e-6 (gradients, relative) from the same run in float64, for deeper models by twice that.
/// The two tolerances are therefore wider than those of text, whose references are float64.
constexpr double vl_logit_tolerance = 1e-4, vl_log_prob_tolerance = 3e-5, vl_gradient_tolerance = 3e-5;

/// Checks preprocessing, from files to patches: images[], smart_resize, smart_resize_rejects. Needs no model.
void check_pictures(const VlCase& vl, std::vector<Check>& checks);

/// Checks the vision tower, from patches to features: vision[] and the tensors of single images and of all.
void check_sight(const VlCase& vl, Model& model, std::vector<Check>& checks);

/// Checks runs: positions, logits, log-probabilities, loss, gradients. The model must be trainable.
void check_runs(const VlCase& vl, rollout::Policy& policy, std::vector<Check>& checks);

/// Checks greedy decoding of the runs by the engine. The model may be frozen.
void check_vl_greedy(const VlCase& vl, rollout::Policy& policy, std::vector<Check>& checks);

/// Returns the names of the runs of a file: the objects that have input_ids.
std::vector<std::string> runs_of(const VlCase& vl);

/// A row of a run: the tokens of its sequence, and the indices of its pictures.
struct VlRow {
  std::vector<int32_t> tokens;
  std::vector<size_t> pictures;
  std::vector<size_t> places;  ///< positions of the tokens in the padded row
};
/// Returns the rows of a run. Throws Error (exit 4) if a row does not match its sequence.
std::vector<VlRow> rows_of(const VlCase& vl, const std::string& run);

/// Returns the model's vision interface. Throws std::runtime_error if it has none.
VisionModel& vision_model(Model& model);

/// Returns the vision features of a row; null if it has no pictures.
std::shared_ptr<const VisionFeatures> encode(const VlCase& vl, const VlRow& row, Model& model);

}  // namespace compeer::verify
