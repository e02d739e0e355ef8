#include "spec/core_schema.h"

#include <algorithm>

namespace compeer::spec {

namespace {

// Builds a parameter in one line: integer("steps", 100, "...").from(1).to(10)
struct Field : Parameter {
  Field(const std::string& key, Type value_type, std::optional<json> standard, const std::string& text) {
    name = key, type = value_type, default_value = std::move(standard), help = text;
  }
  Field& from(double least) { return min = least, *this; }
  Field& to(double most) { return max = most, *this; }
  Field& above(double least) { return min = least, above_min = true, *this; }
  Field& below(double most) { return max = most, below_max = true, *this; }
  Field& of(std::vector<std::string> all) { return choices = std::move(all), *this; }
};

Field integer(const std::string& key, json standard, const std::string& text) {
  return {key, Type::integer, standard, text};
}
Field number(const std::string& key, json standard, const std::string& text) {
  return {key, Type::number, standard, text};
}
Field flag(const std::string& key, bool standard, const std::string& text) {
  return {key, Type::boolean, standard, text};
}
Field word(const std::string& key, json standard, const std::string& text) {
  return {key, Type::string, standard, text};
}
Field words(const std::string& key, const std::string& text) {
  Field made(key, Type::list, json::array(), text);
  made.items = Type::string;
  return made;
}
Field required(const std::string& key, const std::string& text) { return {key, Type::string, std::nullopt, text}; }

Field table(const std::string& key, const std::string& text, Schema fields) {
  Field made(key, Type::table, json::object(), text);
  made.fields = std::move(fields);
  return made;
}

Field plugins(const std::string& key, const std::string& text, Schema fields) {
  Field made(key, Type::list, std::nullopt, text);
  made.items = Type::table;
  made.fields = std::move(fields);
  made.min = 1;
  return made;
}

Field stages() {
  Field made = plugins("stages", "what is done with the records, one after the other: JSON lines in, JSON lines out",
                       {required("plugin", "stage plugin"),
                        word("label", nullptr, "name of its files and in reports; unset: the plugin's name")});
  made.default_value = json::array();
  made.min = std::nullopt;
  return made;
}

std::vector<Section> whole_run() {
  return {
      {required("name", "what the run is called: letters, digits, '.', '_', '-', at most 100"), {}, ""},
      {required("task", "what the run does").of({"sft", "grpo", "evaluate", "data"}), {}, ""},
      {integer("seed", 1, "every random number is a function of it").from(0), {}, ""},
      {integer("ranks", 1, "processes the work is shared between").from(1).to(4096), {}, ""},
      {integer("threads", 1, "threads of each rank").from(1).to(256), {}, ""},
  };
}

Schema dataset_fields() {
  Field system = word("system", nullptr, "system turn that the model sees in place of the records' own; unset: theirs");
  system.contents_of = "system_file";
  return {required("plugin", "dataset plugin"), system,
          Field("system_file", Type::path, json(nullptr), "file whose text is 'system'"),
          integer("max_prompt_tokens", nullptr, "longest prompt; unset: what the model has room for").from(1),
          word("long_prompts", "trim",
               "longer prompts: end the run before its first step, skip the record, or trim: the oldest turns go first")
              .of({"error", "skip", "trim"})};
}

std::vector<Section> plugin_sections() {
  return {
      {table("model", "the model that is trained or evaluated",
             {word("plugin", "qwen2", "model plugin"),
              Field("tokenizer", Type::path, json(nullptr), "folder with the tokenizer; unset: the model's own path")}),
       {"sft", "grpo", "evaluate"},
       "models"},
      {table("dataset", "where the prompts come from", dataset_fields()), {}, "datasets"},
      {stages(), {"data"}, "stages"},
      {plugins(
           "rewards", "what judges a completion; their weighted sum is the reward",
           {required("plugin", "reward plugin"), number("weight", 1.0, "factor in the sum"),
            word("label", nullptr, "name in records; unset: the plugin's name; no two the same"),
            number("floor", nullptr, "smaller rewards count as this; unset: no limit"),
            number("ceiling", nullptr, "larger rewards count as this; unset: no limit"),
            number("cut_off", 1.0, "factor for completions that were cut off at the length limit").from(0).to(1),
            integer(
                "cosine_length", nullptr,
                "reward right answers from 1 down to 0.5 at this many tokens, wrong ones from -1 to -0.5; unset: off")
                .from(1),
            number("right_above", 0.0, "cosine_length: rewards above it mean a right answer")}),
       {"grpo", "evaluate"},
       "rewards"},
      {table("reweighting", "how rewards are reweighted within a group",
             {word("plugin", "none", "reweighting plugin")}),
       {"grpo", "evaluate"},
       "reweighting"},
  };
}

Schema objective_fields() {
  return {
      word("loss", "grpo", "what is minimised: equations in runner/grpo/README.md")
          .of({"grpo", "bnpo", "dr_grpo", "dapo", "luspo", "gspo", "cispo", "sapo", "vespo", "clip_cov", "kl_cov"}),
      word("level", "token", "what an importance ratio belongs to: a token, or a completion (mean or product)")
          .of({"token", "sequence", "sequence_product"}),
      number("clip", 0.2, "clip range of the ratio, on either side of 1").above(0),
      number("clip_low", nullptr, "the range below 1; unset: clip").above(0).to(1),
      number("clip_high", nullptr, "the range above 1; unset: clip").above(0),
      number("delta", nullptr, "upper cap on the ratio where the clip does not hold it (A < 0); unset: none").above(1),
      number("dual_clip", nullptr, "where A < 0 the loss is at most -A times this; unset: no limit").above(1),
      number("cispo_least", 0.0, "cispo: the weight of a token is at least this").from(0),
      number("cispo_most", 5.0, "cispo: and at most this").above(0),
      number("sapo_positive", 1.0, "sapo: temperature of the gate where A > 0").above(0),
      number("sapo_negative", 1.05, "sapo: and elsewhere").above(0),
      number("vespo_k_positive", 2.0, "vespo: exponent of the weight where A >= 0").from(0),
      number("vespo_lambda_positive", 3.0, "vespo: its decay").from(0),
      number("vespo_k_negative", 3.0, "vespo: exponent of the weight where A < 0").from(0),
      number("vespo_lambda_negative", 2.0, "vespo: its decay").from(0),
      number("clip_cov_share", 2e-4, "clip_cov: share of a group's tokens that lose their gradient").above(0).to(1),
      number("clip_cov_low", 1.0, "clip_cov: they are drawn from those of a covariance above this"),
      number("clip_cov_high", 5.0, "clip_cov: and below this"),
      number("kl_cov_share", 2e-3, "kl_cov: share of a group's tokens, of largest covariance, that are held")
          .above(0)
          .to(1),
      number("kl_cov_coefficient", 1.0, "kl_cov: how strongly").from(0),
  };
}

Schema restraint_fields() {
  return {
      number("beta", 0.0, "factor of the KL divergence from the model the run began with; 0: none").from(0),
      word("kl_in", "loss", "where it enters: a term of the loss, or taken off the reward").of({"loss", "reward"}),
      word("kl_estimator", "k3", "how it is estimated from a sampled token").of({"k1", "k2", "k3"}),
      flag("kl_times_ratio", false, "multiply the term by the ratio: the right gradient off policy"),
      number("kl_difference_limit", nullptr, "log-ratios to the reference are cut to +-this; unset: none").above(0),
      number("kl_limit", nullptr, "estimates are cut to +-this; unset: none").above(0),
      number("entropy_bonus", 0.0, "factor of the mean entropy, which is taken off the loss").from(0),
      number("entropy_target", nullptr, "entropy below which the bonus rises, above which it falls; unset: it stays")
          .above(0),
      number("entropy_step", 0.005, "entropy_target: by how much, after each step").above(0),
      number("entropy_bonus_most", 0.1, "entropy_target: how far it may rise").above(0),
      number("high_entropy_share", 1.0, "learn from this share of the step's tokens, those of highest entropy")
          .above(0)
          .to(1),
      number("off_policy_limit", nullptr,
             "completions with A < 0 whose mean log-ratio fell by more do not count; unset: all count")
          .from(0),
      flag("mask_truncated", false, "completions that were cut off do not count in the loss"),
  };
}

Schema advantage_fields() {
  return {
      word("combine", "sum", "several rewards: their weighted sum, or each normalised in its group first (gdpo)")
          .of({"sum", "gdpo"}),
      word("baseline", "group", "what is taken off a reward").of({"group", "leave_one_out", "none"}),
      word("divisor", "std",
           "what the rest is divided by: the deviation of its group or of the batch, divisor_value, or 1")
          .of({"std", "batch", "fixed", "none"}),
      number("divisor_value", 1.0, "the divisor if it is fixed").above(0),
      number("divisor_floor", 0.0, "a deviation that is smaller counts as this").from(0),
      number("epsilon", 1e-6, "added to the standard deviation").from(0),
      number("advantage_least", nullptr, "smaller advantages become this; unset: none").to(0),
      number("advantage_most", nullptr, "larger advantages become this; unset: none").from(0),
  };
}

Schema grpo_fields() {
  Schema all{integer("group_size", 4, "completions of a prompt").from(1),
             integer("batch", 8, "prompts of a step, over all ranks").from(1),
             integer("steps", 100, "steps of the run").from(1),
             integer("updates", 1, "updates of the weights from one rollout").from(1),
             integer("resample", 0, "how often, at most, another prompt replaces one whose rewards are all equal")
                 .from(0)
                 .to(1000),
             integer("together", 1,
                     "groups whose gradients are one chain of sums: each rank needs as many; more take less memory")
                 .from(1),
             integer("micro_tokens", nullptr,
                     "groups of more tokens are differentiated in parts of about as many; unset: whole")
                 .from(1),
             word("split", "train", "split of the dataset"),
             number("lr", 1e-6, "learning rate").above(0)};
  for (const Schema& part : {objective_fields(), restraint_fields(), advantage_fields()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::vector<Section> task_sections() {
  return {
      {table(
           "sampling", "how completions are drawn",
           {number("temperature", 1.0, "divides the logits before sampling").above(0).to(100),
            flag("greedy", false, "always take the likeliest token"),
            integer("max_new_tokens", 64, "tokens of a completion, at most").from(1).to(1e6),
            integer("concurrent", 64, "sequences decoded at once on a rank").from(1),
            integer("top_k", 0, "draw among the k likeliest tokens and those that tie with the last; 0: off").from(0),
            number("top_p", 1.0, "draw from the smallest set of likeliest tokens with this probability").above(0).to(1),
            number("min_p", 0.0, "draw from tokens with at least this share of the likeliest's probability")
                .from(0)
                .to(1),
            number("repetition_penalty", 1.0, "makes tokens that occurred less likely; 1: off").above(0).to(100),
            words("stop", "a completion ends when its text contains one of these")}),
       {"grpo", "evaluate"},
       ""},
      {table("grpo", "group relative policy optimization", grpo_fields()), {"grpo"}, ""},
      {table("sft", "supervised fine-tuning",
             {integer("batch", 16, "examples of a step, over all ranks").from(1),
              integer("together", 8, "examples differentiated at once: each rank needs as many; fewer take less memory")
                  .from(1),
              integer("steps", 1000, "steps of the run").from(1), word("split", "train", "split of the dataset"),
              word("loss_on", "answer", "tokens that are learned").of({"answer", "all"}),
              number("lr", 3e-3, "learning rate").above(0)}),
       {"sft"},
       ""},
      {table(
           "evaluate", "measuring a model",
           {integer("prompts", 64, "prompts in all, the first of the split or spread over it").from(1),
            integer("group_size", 4, "completions of a prompt").from(1), word("split", "test", "split of the dataset"),
            integer("batch", 16, "prompts of a row in the log").from(1)}),
       {"evaluate"},
       ""},
      {table("data", "making a data set",
             {words("splits", "splits of the dataset that are read; empty: train, valid and test"),
              integer("together", 32, "records that a rank makes at once, and asks chat models about side by side")
                  .from(1)
                  .to(100000),
              number("most_failed", 0.01, "share of what a stage asks chat models that may stay without an answer")
                  .from(0)
                  .to(1),
              number("most_malformed", 0.1, "share of it whose answers may all be such that they can't be read")
                  .from(0)
                  .to(1)}),
       {"data"},
       ""},
  };
}

std::vector<Section> house_sections() {
  const std::vector<std::string> training = {"sft", "grpo"};
  return {
      {table("optimizer", "AdamW",
             {number("beta1", 0.9, "decay of the mean gradient").from(0).below(1),
              number("beta2", 0.999, "decay of the mean squared gradient").from(0).below(1),
              number("epsilon", 1e-8, "added to the root of the mean square").above(0),
              number("weight_decay", 0.0, "share of a weight taken off per unit of learning rate").from(0),
              number("max_grad_norm", 1.0, "longer gradients are shortened to it; 0: off").from(0),
              word("schedule", "constant", "how the learning rate moves after the warm-up")
                  .of({"constant", "cosine", "linear"}),
              integer("warmup", 0, "steps over which the learning rate rises").from(0)}),
       training, ""},
      {word("shard", "none", "what ranks share out between them to save memory: the optimizer's state, or nothing")
           .of({"none", "optimizer"}),
       training, ""},
      {word("overlap", "hosts",
            "when gradients set out to other ranks before all are computed: if ranks lie on several hosts, always, or "
            "never")
           .of({"hosts", "always", "never"}),
       training, ""},
      {word("nonfinite", "stop",
            "a step whose rewards, loss or gradient are not finite: stop the run, or skip the step, whose update is "
            "left "
            "out")
           .of({"stop", "skip"}),
       training, ""},
      {table(
           "checkpoint", "what can be resumed and used later",
           {integer("every", nullptr,
                    "steps between checkpoints, the last step has one in any case; unset: a tenth of the run; 0: "
                    "steps don't count")
                .from(0),
            number("minutes", 10.0, "minutes between checkpoints, if they pass sooner; 0: minutes don't count").from(0),
            integer("keep", 2, "newest checkpoints kept").from(1)}),
       training, ""},
      {table("validation", "the same records, looked at again and again while a model is trained",
             {integer("every", nullptr, "steps between two looks, the last step has one in any case; unset: none")
                  .from(1),
              word("split", "valid", "split of the dataset"),
              integer("prompts", 64, "records that are looked at, or all if the split has fewer").from(1),
              integer("group_size", 1, "grpo: completions of a prompt").from(1),
              words("metrics",
                    "what is logged as validation/<metric>, the first decides; empty: loss (sft), reward (grpo)"),
              word("better", nullptr,
                   "which values of the first are better; unset: lower ones of loss, higher ones of rewards")
                  .of({"higher", "lower"}),
              word("keep", "best", "best: the checkpoint of the best look stays, as checkpoints/best; last: no such")
                  .of({"best", "last"}),
              integer("patience", nullptr, "looks without a better one that end the run; unset: it goes on").from(1)}),
       training, ""},
      {table("record", "what is written down", {flag("rollouts", true, "keep every token of every completion")}),
       {},
       ""},
      {table("watchdog", "ends a run that hangs", {integer("seconds", 300, "without progress").from(1)}), {}, ""},
  };
}

}  // namespace

bool Section::used_by(const std::string& task) const {
  return tasks.empty() || std::find(tasks.begin(), tasks.end(), task) != tasks.end();
}

const std::vector<Section>& core_schema() {
  static const std::vector<Section> all = [] {
    std::vector<Section> sections;
    for (const auto& part : {whole_run(), plugin_sections(), task_sections(), house_sections()}) {
      sections.insert(sections.end(), part.begin(), part.end());
    }
    return sections;
  }();
  return all;
}

const Section* find_section(const std::string& name) {
  for (const auto& section : core_schema()) {
    if (section.parameter.name == name) return &section;
  }
  return nullptr;
}

}  // namespace compeer::spec
