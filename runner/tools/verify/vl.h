#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "inference/open_model.h"
#include "language/pictures.h"
#include "tools/verify/values.h"

/// The parts of the check of a small Qwen2.5-VL model, in files of their own: what it sees, what it says.
namespace compeer::verify {

/// A model folder with pictures, golden.json and golden.safetensors.
struct VlCase {
  explicit VlCase(const std::filesystem::path& folder);

  nlohmann::json golden;
  record::Safetensors tensors;
  language::PictureSettings settings;
  std::vector<Picture> pictures;  ///< images[]
};

/// The reference is a float32 run through tower and text. On the copies in tests/golden it lies up to 7e-6
/// (log-probabilities) and 5e-6 (gradients, relative) from the same run in float64, on deeper models twice that: so
/// these two are wider than those of text, whose references are float64.
constexpr double vl_logit_tolerance = 1e-4, vl_log_prob_tolerance = 3e-5, vl_gradient_tolerance = 3e-5;

/// From files to patches: images[], smart_resize, smart_resize_rejects. No model.
void check_pictures(const VlCase& vl, std::vector<Check>& checks);

/// From patches to features: vision[] and the tensors of single images and of all.
void check_sight(const VlCase& vl, Model& model, std::vector<Check>& checks);

/// Runs: positions, logits, log-probabilities, loss, gradients. The model is trainable.
void check_runs(const VlCase& vl, rollout::Policy& policy, std::vector<Check>& checks);

/// Greedy tokens of the runs, from the engine. The model is only read.
void check_vl_greedy(const VlCase& vl, rollout::Policy& policy, std::vector<Check>& checks);

/// The runs of a file: the objects that have input_ids.
std::vector<std::string> runs_of(const VlCase& vl);

/// A row of a run: the tokens of its sequence, and the pictures whose placeholders are among them.
struct VlRow {
  std::vector<int32_t> tokens;
  std::vector<size_t> pictures;
  std::vector<size_t> places;  ///< where the tokens stand in the padded row
};
std::vector<VlRow> rows_of(const VlCase& vl, const std::string& run);

/// The part of the model that sees. Throws std::runtime_error if it has none.
VisionModel& vision_model(Model& model);

/// What the model sees in a row; null for text.
std::shared_ptr<const VisionFeatures> look(const VlCase& vl, const VlRow& row, Model& model);

}  // namespace compeer::verify
