#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "grpo/settings.h"
#include "spec/declare.h"

/// Tables of a spec that are read as a struct; core_schema.cpp declares the others. A member has the default of its
/// setting; fields() declares name, range and help text. To add a setting, add a member and a line of fields(): the
/// schema, `compeer settings`, the reader and the editor stubs follow from it.
namespace compeer::spec {

/// [sampling]: how tokens are sampled. The settings apply in this order: repetition_penalty, temperature, top_k, top_p,
/// min_p. A token is then sampled from the remaining ones in proportion to their probabilities.
struct Sampling {
  double temperature = 1.0;  ///< > 0
  bool greedy = false;  ///< greedy decoding: the token with the largest logit after repetition_penalty, the lowest id
                        ///< of several
  int64_t max_new_tokens = 64;
  int64_t concurrent = 64;          ///< most sequences decoded at once
  int64_t top_k = 0;                ///< keeps the k most likely tokens and all ties with the k-th; 0: off
  double top_p = 1.0;               ///< keeps the smallest set of most likely tokens with this total probability
  double min_p = 0.0;               ///< keeps tokens with at least this fraction of the largest probability
  double repetition_penalty = 1.0;  ///< divides positive and multiplies negative logits of tokens that occurred, once
  std::vector<std::string> stop = {};  ///< a completion ends when its text contains one of these

  bool needs_seen() const { return repetition_penalty != 1.0; }
  bool filters() const { return top_k > 0 || top_p < 1 || min_p > 0; }
};
SettingFields fields(Sampling& t);

/// [grpo]: GRPO training.
struct GrpoTable {
  /// Completions per prompt; prompts per step, over all ranks; steps of the run; updates of the weights per step.
  int64_t group_size = 4, batch = 8, steps = 100, updates = 1;
  int64_t resample = 0;  ///< maximum number of times that a prompt with all-equal rewards is replaced by another
  int64_t groups_per_reduction = 1;  ///< prompt groups accumulated on one rank into one leaf of the reduction tree
  /// Groups with more tokens are backpropagated in several parts of about this many tokens.
  int64_t micro_tokens = std::numeric_limits<int64_t>::max();
  std::string split = "train";  ///< split of the dataset
  double lr = 1e-6;             ///< learning rate
  grpo::Objective objective;    ///< `objective.kl` is beta, whatever `kl_in` is
  std::string kl_in = "loss";   ///< "loss": the KL term is added to the loss; "reward": subtracted from the reward
  grpo::EntropyControl entropy_control;
  double high_entropy_share = 1.0;  ///< fraction of the step's tokens, those of highest entropy, in the loss
  bool mask_truncated = false;      ///< exclude truncated completions from the loss
  bool gdpo = false;                ///< normalize each reward within its group before the sum (GDPO); ignores `rule`
  grpo::AdvantageRule rule;         ///< how advantages follow from the weighted sum of rewards
};
SettingFields fields(GrpoTable& t);

/// [optimizer]: AdamW (kernels/adamw.h).
struct OptimizerTable {
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0;
  double max_grad_norm = 1;           ///< gradients are clipped to this norm; 0: off
  std::string schedule = "constant";  ///< learning-rate schedule after the warm-up: "constant", "cosine", "linear"
  int64_t warmup = 0;                 ///< number of updates of linear warm-up
};
SettingFields fields(OptimizerTable& t);

}  // namespace compeer::spec
