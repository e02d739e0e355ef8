#pragma once
#include <ATen/core/Tensor.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "comm/world.h"
#include "compeer/conversation.h"
#include "compeer/model.h"
#include "language/chat.h"
#include "rollout/engine.h"

namespace compeer::train {

/// One prompt with its completions: a group in the sense of Eq. 2 and 3.
struct PromptGroup {
  int64_t index = 0;  ///< within the step, over all ranks
  Example example;
  std::vector<Turn> turns;  ///< the part of the history that the model is shown
  std::vector<int32_t> prompt;
  std::vector<Picture> pictures;                           ///< of the prompt, until `vision` is computed from them
  std::shared_ptr<const VisionFeatures> vision = nullptr;  ///< of these pictures
  std::vector<rollout::Sample> samples;                    ///< the completions: tokens and their log-probs
  std::vector<Completion> completions;                     ///< the same as text: what rewards are given
};

using Groups = std::vector<PromptGroup>;

/// Named numbers of completions: each column is a tensor, float64 [prompts, G]. NaN: no number.
class BatchColumns {
 public:
  BatchColumns(int64_t prompts = 0, int64_t group_size = 0) : prompts_(prompts), group_size_(group_size) {}

  int64_t prompts() const { return prompts_; }
  int64_t group_size() const { return group_size_; }
  std::vector<std::string> names() const;

  /// Adds a column, or replaces the one of that name. Throws std::logic_error for another shape.
  void set(const std::string& name, at::Tensor values);
  void set_unknown(const std::string& name);  ///< NaN everywhere

  /// Throws std::logic_error that lists the columns if there is none of that name.
  const at::Tensor& operator[](const std::string& name) const;

  /// The numbers of one prompt's completions. Throws as operator[].
  std::span<double> row(const std::string& name, size_t prompt);
  std::vector<double> row(const std::string& name, size_t prompt) const;

  /// Copies all columns of one prompt from `other`, which has the same columns.
  void copy_row(size_t prompt, const BatchColumns& other, size_t from);

 private:
  int64_t prompts_, group_size_;
  std::vector<std::pair<std::string, at::Tensor>> columns_;
};

/// A rank's prompts of a step with their completions, and what is computed of these.
///
/// | column | holds | set by |
/// |---|---|---|
/// | length, entropy, finished | of the sample: tokens, mean entropy of its tokens, 1 or 0 | the constructor |
/// | rewards/LABEL/PART | a column of a reward plugin; the first part is the reward itself | StepScoring |
/// | shaped/LABEL | the reward after floor, ceiling, cut_off, cosine_length; not recorded | StepScoring |
/// | reward | the weighted sum of shaped/LABEL | StepScoring |
/// | reweighted, REWEIGHTING/FACTOR | the columns of the reweighting plugin (Eq. 5-7) | StepScoring |
/// | reference_kl | the KL estimate of a completion, if there is a reference model | GrpoStep |
/// | learned | what advantages are computed from: reweighted, less a KL term | StepScoring, GrpoStep |
/// | advantage | Eq. 3 | GrpoStep |
struct StepBatch {
  StepBatch() = default;
  StepBatch(Groups groups, int64_t group_size);

  Groups groups;
  BatchColumns columns;
  std::vector<std::vector<nlohmann::json>>
      notes;  ///< Scores::note by prompt, then by reward; none of a prompt left out

  /// Puts one prompt of `other` in place of one of this batch.
  void replace(size_t prompt, StepBatch& other, size_t from);
};

/// The numbers of all ranks, in rank order, on every rank. Collective.
std::vector<double> from_all_ranks(comm::World& world, const std::vector<double>& mine);

/// The column of all ranks' prompts, in the order of the step, on every rank: [prompts of the step, G]. Collective.
at::Tensor column_of_all_ranks(comm::World& world, const BatchColumns& mine, const std::string& name);

}  // namespace compeer::train
