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

/// [grpo]
struct GrpoTable {
  int64_t group_size = 4, batch = 8, steps = 100, updates = 1;
  int64_t resample = 0;  ///< how often a prompt whose rewards are all equal is replaced, at most
  int64_t together = 1;  ///< number of groups that are one leaf of every sum over ranks
  int64_t micro_tokens = std::numeric_limits<int64_t>::max();  ///< groups of more tokens are differentiated in parts
  std::string split = "train";
  double lr = 1e-6;
  grpo::Objective objective;  ///< its `kl` is beta, wherever the KL term goes
  std::string kl_in = "loss";
  grpo::EntropyControl entropy_control;
  double high_entropy_share = 1.0;
  bool mask_truncated = false;
  bool gdpo = false;  ///< each reward is normalised by itself; else advantages follow `rule`
  grpo::AdvantageRule rule;
};
SettingFields fields(GrpoTable& t);

/// [optimizer]: AdamW (kernels/adamw.h).
struct OptimizerTable {
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0;
  double max_grad_norm = 1;  ///< gradients are clipped to this norm; 0: off
  std::string schedule = "constant";
  int64_t warmup = 0;  ///< in updates
};
SettingFields fields(OptimizerTable& t);

}  // namespace compeer::spec
