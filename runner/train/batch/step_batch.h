#pragma once
#include <ATen/core/Tensor.h>

#include <functional>
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
#include "train/run_plugins.h"

namespace compeer::train {

/// One prompt with its completions: a group in the sense of Eq. 2 and 3.
struct PromptGroup {
  int64_t index = 0;              ///< index of the prompt within the step, over all ranks
  Example example;                ///< the unchanged record, which rewards receive
  std::vector<Turn> turns;        ///< turns of the prompt: system turn and history, after trimming
  std::vector<int32_t> prompt;    ///< token ids of `turns`
  std::vector<Picture> pictures;  ///< images of the prompt; moved out when `vision` is computed
  std::shared_ptr<const VisionFeatures> vision = nullptr;  ///< features of `pictures`
  std::vector<rollout::Sample> samples;                    ///< G completions: tokens and their log-probs
  std::vector<Completion> completions;                     ///< the decoded samples, which rewards receive
};

using Groups = std::vector<PromptGroup>;

/// Columns by name, each a float64 tensor [prompts, G] in host memory. Row p belongs to the p-th prompt of this rank.
/// NaN marks a missing value. Copies share the tensors.
class BatchColumns {
 public:
  BatchColumns(int64_t prompts = 0, int64_t group_size = 0) : prompts_(prompts), group_size_(group_size) {}

  int64_t prompts() const { return prompts_; }
  int64_t group_size() const { return group_size_; }
  std::vector<std::string> names() const;

  /// Adds or replaces a column. Shares the memory of `values` if they are contiguous. Throws std::logic_error if the
  /// type is not float64 or the shape is not [prompts, G].
  void set(const std::string& name, at::Tensor values);
  void set_unknown(const std::string& name);  ///< NaN everywhere

  /// Returns the column. Throws std::logic_error that lists all columns if there is none with this name.
  const at::Tensor& operator[](const std::string& name) const;

  /// Returns the G values of one prompt, which must be less than prompts(): a view that writes to the column, or a
  /// copy. Throws as operator[].
  std::span<double> row(const std::string& name, size_t prompt);
  std::vector<double> row(const std::string& name, size_t prompt) const;

  /// Overwrites row `prompt` of every column with row `from` of the same column of `other`, which has the same G.
  void copy_row(size_t prompt, const BatchColumns& other, size_t from);

 private:
  int64_t prompts_, group_size_;
  std::vector<std::pair<std::string, at::Tensor>> columns_;
};

/// The prompts of a step that belong to this rank, with their completions and the columns computed from them.
///
/// | column | contents | set by |
/// |---|---|---|
/// | length | number of sampled tokens, the end token included | the constructor |
/// | entropy | mean entropy of the tokens, in nats | the constructor |
/// | finished | 1, or 0 if the completion was cut off at the length limit | the constructor |
/// | rewards/LABEL/PART | a column of a reward plugin; the first is its reward | StepScoring |
/// | shaped/LABEL | that reward after cosine_length, floor, ceiling, truncated_factor; not recorded | StepScoring |
/// | reward | weighted sum of shaped/LABEL, ignoring NaN | StepScoring |
/// | reweighted, REWEIGHTING/FACTOR | columns of the reweighting plugin (Eq. 5-7) | StepScoring |
/// | reference_kl | sum over tokens of the KL estimate, if there is a reference model | GrpoStep |
/// | learned | reweighted, minus beta x reference_kl if kl_in = "reward" | StepScoring, GrpoStep |
/// | advantage | advantages of `learned` (Eq. 3), or GDPO of shaped/LABEL | GrpoStep |
struct StepBatch {
  StepBatch() = default;
  StepBatch(Groups groups, int64_t group_size);

  Groups groups;
  BatchColumns columns;
  /// notes[prompt][i] is the Scores::note of the i-th reward. The list of a prompt without scores is empty.
  std::vector<std::vector<nlohmann::json>> notes;

  /// Replaces a prompt, with its completions and columns, by prompt `from` of `other`, which is moved from.
  void replace(size_t prompt, StepBatch& other, size_t from);
};

/// Collective. Returns the concatenation of `mine` over all ranks, in rank order, on every rank. Lengths may differ.
std::vector<double> from_all_ranks(comm::World& world, const std::vector<double>& mine);

/// Collective. Returns a column for all prompts of the step, on every rank: float64 [prompts of the step, G]. Its rows
/// are in the order of the step, because each rank has consecutive prompts.
at::Tensor column_of_all_ranks(comm::World& world, const BatchColumns& mine, const std::string& name);

/// Key of the random numbers of a step.
struct RngKey {
  uint64_t seed = 0;
  uint32_t step = 0;
  uint32_t prompt_offset =
      0;  ///< number of prompts that were sampled earlier for this step; offset of PromptGroup::index
};

/// Samples `group_size` completions for every group. Local. Random numbers depend on (seed, step, before + group index,
/// completion, position) only. Calls `complete` for each group as soon as all its completions are complete, while
/// others are still being sampled.
using GroupIsComplete = std::function<void(const PromptGroup& group)>;
void roll_out(RunPlugins& plugins, Groups& groups, const rollout::Sampling& sampling, int64_t group_size, RngKey key,
              const GroupIsComplete& complete);

/// Number of the model's positions that are reserved for a completion: its maximum length, but at most half of them.
int64_t room_for_completions(const rollout::Sampling& sampling, int64_t positions);

}  // namespace compeer::train
