#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "inference/open_model.h"
#include "language/pictures.h"
#include "tools/verify/values.h"

// Part of `compeer verify`, which compares this program with reference files made by other libraries: a small
// vision-language model (Qwen2.5-VL). Reference values are in golden.json and golden.safetensors in the model's folder.
// A run is one forward pass of the reference over a padded batch of sequences with pictures. Check is one comparison;
// the functions append theirs to `checks`.
namespace compeer::verify {

/// A model folder with pictures and reference values.
struct VlCase {
  /// Reads golden.json, golden.safetensors and all pictures.
  explicit VlCase(const std::filesystem::path& folder);

  nlohmann::json golden;               ///< golden.json
  record::Safetensors tensors;         ///< golden.safetensors
  language::PictureSettings settings;  ///< sizes and normalization of pictures for this model
  std::vector<Picture> pictures;       ///< preprocessed pictures, in the order of golden.json's images[]
};

/// Largest allowed differences: absolute for logits and log-probabilities, relative for gradients. The reference is a
/// float32 run of vision tower and text model. It differs by up to 7e-6 (log-probabilities) and 5e-6 (gradients) from
/// the same run in float64, for deeper models by twice that. The last two are therefore wider than those of text
/// models, which have float64 references.
constexpr double vl_logit_tolerance = 1e-4, vl_log_prob_tolerance = 3e-5, vl_gradient_tolerance = 3e-5;

/// Checks preprocessing, from picture files to patches, against the entries images[], smart_resize and
/// smart_resize_rejects of golden.json. Needs no model.
void check_pictures(const VlCase& vl, std::vector<Check>& checks);

/// Checks the vision tower, from patches to features, for single pictures and for all pictures together.
void check_sight(const VlCase& vl, Model& model, std::vector<Check>& checks);

/// Checks positions, logits, log-probabilities, loss and gradients of all runs. `policy`: the model and its head; it
/// must be trainable.
void check_runs(const VlCase& vl, rollout::Policy& policy, std::vector<Check>& checks);

/// Checks greedy decoding from the prompts of the runs, by the engine that `compeer generate` uses. The model may be
/// frozen.
void check_vl_greedy(const VlCase& vl, rollout::Policy& policy, std::vector<Check>& checks);

/// Returns the names of the runs: the objects in golden.json that have input_ids.
std::vector<std::string> runs_of(const VlCase& vl);

/// A row of a run's batch, without padding.
struct VlRow {
  std::vector<int32_t> tokens;   ///< token ids
  std::vector<size_t> pictures;  ///< indices in VlCase::pictures
  std::vector<size_t> places;    ///< [token]: its index in the padded row
};
/// Returns the rows of a run. Throws Error (exit code 4: invalid data) if a row does not match its sequence.
std::vector<VlRow> rows_of(const VlCase& vl, const std::string& run);

/// Returns the model's vision interface. Throws std::runtime_error if it has none.
VisionModel& vision_model(Model& model);

/// Returns the vision tower's features for the pictures of a row; null if it has no pictures.
std::shared_ptr<const VisionFeatures> encode(const VlCase& vl, const VlRow& row, Model& model);

}  // namespace compeer::verify
