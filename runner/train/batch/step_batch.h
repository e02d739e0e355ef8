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

// The data of one step of a GRPO or evaluation run: prompts, their sampled completions, and numbers per completion
// (rewards, advantages). Each rank has a contiguous part of the step's prompts. The spec is the table of all settings
// of a run. G is the group size: the number of completions of a prompt. The policy is the model that is trained or
// evaluated. Equations are those of the paper PEER (arXiv 2508.09521): Eq. 2 is the GRPO objective, Eq. 3 the
// advantage, Eq. 5-7 the reweighting of rewards by redundancy.

namespace compeer::train {

/// One prompt with its completions: a group in the sense of Eq. 2 and 3.
struct PromptGroup {
  int64_t index = 0;              ///< index of the prompt within the step, over all ranks, from 0
  Example example;                ///< the unchanged record, which rewards receive
  std::vector<Turn> turns;        ///< turns of the prompt: system turn and history, after trimming
  std::vector<int32_t> prompt;    ///< token ids of `turns`
  std::vector<Picture> pictures;  ///< images of the prompt; moved out when `vision` is computed
  /// Features of `pictures`; null before `roll_out`, and if the prompt has no images.
  std::shared_ptr<const VisionFeatures> vision = nullptr;
  std::vector<rollout::Sample> samples;  ///< G completions: tokens, their log-probs and entropies
  std::vector<Completion> completions;   ///< the decoded samples, which rewards receive
};

using Groups = std::vector<PromptGroup>;  ///< groups in ascending order of their index

/// Numbers per completion by name: a table of columns, each a float64 tensor [prompts, G] in host memory. Row p belongs
/// to the p-th prompt of this rank. NaN marks a missing value. Copies share the tensors.
class BatchColumns {
 public:
  /// A table of this shape without columns.
  BatchColumns(int64_t prompts = 0, int64_t group_size = 0) : prompts_(prompts), group_size_(group_size) {}

  int64_t prompts() const { return prompts_; }
  int64_t group_size() const { return group_size_; }
  std::vector<std::string> names() const;  ///< names of the columns, in the order in which they were added

  /// Adds or replaces a column. Shares the memory of `values` if they are contiguous. Throws std::logic_error if the
  /// type is not float64 or the shape is not [prompts, G].
  void set(const std::string& name, at::Tensor values);
  void set_unknown(const std::string& name);  ///< adds or replaces a column by one that is NaN everywhere

  /// Returns the column [prompts, G]. Throws std::logic_error that lists all columns if there is none with this name.
  const at::Tensor& operator[](const std::string& name) const;

  /// Returns the G values of one prompt, with prompt < prompts(). The first overload returns a view that writes to the
  /// column, the second a copy. Throws as operator[].
  std::span<double> row(const std::string& name, size_t prompt);
  std::vector<double> row(const std::string& name, size_t prompt) const;

  /// Overwrites row `prompt` of every column with row `from` of the column of that name of `other`, which has the same
  /// G.
  void copy_row(size_t prompt, const BatchColumns& other, size_t from);

 private:
  int64_t prompts_, group_size_;
  std::vector<std::pair<std::string, at::Tensor>> columns_;  // name and values [prompts, G]
};

/// The prompts of a step that belong to this rank, with their completions and the columns computed from them.
///
/// LABEL is the label of an entry of the spec's list `rewards`. A reward plugin gives each completion a number for each
/// of its PARTs. Column `learned` is what the policy is trained to increase.
///
/// | column | contents | set by |
/// |---|---|---|
/// | length | number of sampled tokens, the end token included | the constructor |
/// | entropy | mean entropy of the tokens, in nats | the constructor |
/// | finished | 1, or 0 if the completion was cut off at the length limit | the constructor |
/// | rewards/LABEL/PART | a column of a reward plugin; the first is its reward | StepScoring |
/// | shaped/LABEL | that reward after its length rule, bounds and truncation factor; not recorded | StepScoring |
/// | reward | weighted sum over rewards of shaped/LABEL, ignoring NaN | StepScoring |
/// | reweighted, REWEIGHTING/FACTOR | columns of the reweighting plugin (Eq. 5-7) | StepScoring |
/// | reference_kl | sum over tokens of the KL estimate, if there is a reference model | GrpoStep |
/// | learned | reweighted, minus beta x reference_kl if kl_in = "reward" | StepScoring, GrpoStep |
/// | advantage | advantages of `learned` (Eq. 3), or of shaped/LABEL by GDPO | GrpoStep |
struct StepBatch {
  StepBatch() = default;
  /// Takes completed groups and sets the columns length, entropy and finished.
  StepBatch(Groups groups, int64_t group_size);

  Groups groups;         ///< the prompts of this rank
  BatchColumns columns;  ///< row p belongs to groups[p]
  /// notes[prompt][reward]: the note that the reward plugin attached to the scores of the group, for updates of its
  /// learned state (Scores::note). The list of a prompt without scores is empty.
  std::vector<std::vector<nlohmann::json>> notes;

  /// Replaces the group with index `prompt` in `groups`, with its columns and notes, by group `from` of `other`, which
  /// is moved from.
  void replace(size_t prompt, StepBatch& other, size_t from);
};

/// Collective. Returns the concatenation of `mine` over all ranks, in rank order, on every rank. Lengths may differ.
std::vector<double> from_all_ranks(comm::World& world, const std::vector<double>& mine);

/// Collective. Returns the column `name` for all prompts of the step, on every rank: float64 [prompts of the step, G],
/// with rows in the order of PromptGroup::index. `mine`: columns of this rank's prompts.
at::Tensor column_of_all_ranks(comm::World& world, const BatchColumns& mine, const std::string& name);

/// Key of the counter-based random numbers of a step.
struct RngKey {
  uint64_t seed = 0;  ///< seed of the run
  uint32_t step = 0;  ///< number of the step; 0: validation
  /// Number of prompts that were sampled earlier for this step, such as those replaced by other prompts. Added to
  /// PromptGroup::index, so that no two prompts of a step have the same random numbers.
  uint32_t prompt_offset = 0;
};

/// Callback that receives a group when all its completions are complete.
using GroupIsComplete = std::function<void(const PromptGroup& group)>;
/// Samples `group_size` completions from the policy for every group and fills PromptGroup::vision, samples and
/// completions. Local. Random numbers depend on (seed, step, prompt_offset + group index, completion, position) only.
/// Calls `complete` for each group as soon as it is complete, while others are still being sampled. `sampling`: the
/// spec's table of that name.
void roll_out(RunPlugins& plugins, Groups& groups, const rollout::Sampling& sampling, int64_t group_size, RngKey key,
              const GroupIsComplete& complete);

/// Returns how many of the model's `positions` (its context length in tokens) are reserved for a completion: the
/// completion's maximum length, but at most half of the positions.
int64_t room_for_completions(const rollout::Sampling& sampling, int64_t positions);

}  // namespace compeer::train
