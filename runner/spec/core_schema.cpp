#include "spec/core_schema.h"

#include <algorithm>

namespace compeer::spec {

namespace {

// Builds a parameter in one line: integer("steps", 100, "...").from(1).to(10)
struct Field : SettingSchema {
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
  Field made = plugins("stages", "stages that process the records, in order: JSON lines in, JSON lines out",
                       {required("plugin", "stage plugin"),
                        word("label", nullptr, "name of its files and in reports; unset: the plugin's name")});
  made.default_value = json::array();
  made.min = std::nullopt;
  return made;
}

std::vector<Section> whole_run() {
  return {
      {required("name", "name of the run: letters, digits, '.', '_', '-', at most 100"), {}, ""},
      {required("task", "what the run does").of({"sft", "grpo", "evaluate", "data"}), {}, ""},
      {integer("seed", 1, "every random number is a function of it").from(0), {}, ""},
      {integer("ranks", 1, "processes that share the work").from(1).to(4096), {}, ""},
      {integer("threads", 1, "threads of each rank").from(1).to(256), {}, ""},
  };
}

Schema dataset_fields() {
  Field system = word("system", nullptr, "system turn shown to the model instead of the records' own; unset: theirs");
  system.contents_of = "system_file";
  return {required("plugin", "dataset plugin"), system,
          Field("system_file", Type::path, json(nullptr), "file whose text is 'system'"),
          integer("max_prompt_tokens", nullptr, "longest prompt; unset: what the model has room for").from(1),
          word("long_prompts", "trim",
               "longer prompts: error ends the run before its first step, skip leaves the record out, trim removes the "
               "oldest turns")
              .of({"error", "skip", "trim"})};
}

std::vector<Section> plugin_sections() {
  return {
      {table("model", "the model that is trained or evaluated",
             {word("plugin", "qwen2", "model plugin; auto: the one that reads the model at 'path'"),
              Field("tokenizer", Type::path, json(nullptr), "folder with the tokenizer; unset: the model's own path"),
              flag("foreign_tokenizer", false, "allow a tokenizer that is not the model's own")}),
       {"sft", "grpo", "evaluate"},
       "models"},
      {table("dataset", "where the prompts come from", dataset_fields()), {}, "datasets"},
      {stages(), {"data"}, "stages"},
      {plugins(
           "rewards", "terms of the reward; the reward is their weighted sum",
           {required("plugin", "reward plugin"), number("weight", 1.0, "factor in the sum"),
            word("label", nullptr, "name in records, unique; unset: the plugin's name"),
            number("floor", nullptr, "lower bound of the reward; unset: none"),
            number("ceiling", nullptr, "upper bound of the reward; unset: none"),
            number("cut_off", 1.0, "factor for truncated completions").from(0).to(1),
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
      word("loss", "grpo", "loss function; equations: runner/grpo/README.md")
          .of({"grpo", "bnpo", "dr_grpo", "dapo", "luspo", "gspo", "cispo", "sapo", "vespo", "clip_cov", "kl_cov"}),
      word("level", "token",
           "level of the importance ratio: a token, or a completion (mean or product of its tokens' ratios)")
          .of({"token", "sequence", "sequence_product"}),
      number("clip", 0.2, "clip range of the ratio on both sides of 1 (epsilon)").above(0),
      number("clip_low", nullptr, "clip range below 1; unset: clip").above(0).to(1),
      number("clip_high", nullptr, "clip range above 1; unset: clip").above(0),
      number("delta", nullptr, "upper bound of the ratio where the clip doesn't apply (A < 0); unset: none").above(1),
      number("dual_clip", nullptr, "where A < 0, the loss is at most -A times this; unset: no limit").above(1),
      number("cispo_least", 0.0, "cispo: lower bound of a token's weight").from(0),
      number("cispo_most", 5.0, "cispo: upper bound of a token's weight").above(0),
      number("sapo_positive", 1.0, "sapo: temperature of the gate where A > 0").above(0),
      number("sapo_negative", 1.05, "sapo: temperature of the gate where A <= 0").above(0),
      number("vespo_k_positive", 2.0, "vespo: exponent of the weight where A >= 0").from(0),
      number("vespo_lambda_positive", 3.0, "vespo: decay of that weight").from(0),
      number("vespo_k_negative", 3.0, "vespo: exponent of the weight where A < 0").from(0),
      number("vespo_lambda_negative", 2.0, "vespo: decay of that weight").from(0),
      number("clip_cov_share", 2e-4, "clip_cov: share of a group's tokens that lose their gradient").above(0).to(1),
      number("clip_cov_low", 1.0, "clip_cov: drawn from tokens whose covariance is above this"),
      number("clip_cov_high", 5.0, "clip_cov: and below this"),
      number("kl_cov_share", 2e-3,
             "kl_cov: share of a group's tokens, those of largest covariance, that get a KL penalty")
          .above(0)
          .to(1),
      number("kl_cov_coefficient", 1.0, "kl_cov: coefficient of that penalty").from(0),
  };
}

Schema restraint_fields() {
  return {
      number("beta", 0.0, "coefficient of the KL divergence from the initial model; 0: none").from(0),
      word("kl_in", "loss", "where the KL term goes: added to the loss, or subtracted from the reward")
          .of({"loss", "reward"}),
      word("kl_estimator", "k3", "estimator of the KL divergence from a sampled token").of({"k1", "k2", "k3"}),
      flag("kl_times_ratio", false, "multiply the KL term by the ratio, which makes its gradient unbiased off policy"),
      number("kl_difference_limit", nullptr, "log-ratios to the reference are clamped to +-this; unset: not clamped")
          .above(0),
      number("kl_limit", nullptr, "KL estimates are clamped to +-this; unset: not clamped").above(0),
      number("entropy_bonus", 0.0, "coefficient of the mean entropy, which is subtracted from the loss").from(0),
      number("entropy_target", nullptr,
             "target entropy: below it the bonus rises, above it the bonus falls; unset: constant bonus")
          .above(0),
      number("entropy_step", 0.005, "entropy_target: change of the bonus per step").above(0),
      number("entropy_bonus_most", 0.1, "entropy_target: upper bound of the bonus").above(0),
      number("high_entropy_share", 1.0, "train only on this share of the step's tokens, those of highest entropy")
          .above(0)
          .to(1),
      number("off_policy_limit", nullptr,
             "completions with A < 0 whose mean log-ratio fell by more than this are masked; unset: none")
          .from(0),
      flag("mask_truncated", false, "mask truncated completions in the loss"),
  };
}

Schema advantage_fields() {
  return {
      word("combine", "sum",
           "how rewards are combined: their weighted sum, or each normalised within its group first (gdpo)")
          .of({"sum", "gdpo"}),
      word("baseline", "group",
           "what is subtracted from a reward: the group's mean, the mean of the others, or nothing")
          .of({"group", "leave_one_out", "none"}),
      word("divisor", "std",
           "what the difference is divided by: the standard deviation of the group or batch, divisor_value, or 1")
          .of({"std", "batch", "fixed", "none"}),
      number("divisor_value", 1.0, "divisor = fixed: its value").above(0),
      number("divisor_floor", 0.0, "lower bound of the standard deviation").from(0),
      number("epsilon", 1e-6, "added to the standard deviation").from(0),
      number("advantage_least", nullptr, "lower bound of advantages; unset: none").to(0),
      number("advantage_most", nullptr, "upper bound of advantages; unset: none").from(0),
  };
}

Schema grpo_fields() {
  Schema all{
      integer("group_size", 4, "completions of a prompt").from(1),
      integer("batch", 8, "prompts of a step, over all ranks").from(1),
      integer("steps", 100, "steps of the run").from(1),
      integer("updates", 1, "updates of the weights per rollout").from(1),
      integer("resample", 0, "maximum number of times a prompt whose rewards are all equal is replaced by another")
          .from(0)
          .to(1000),
      integer("together", 1,
              "number of prompt groups accumulated before the reduction, all of one rank; more take less memory")
          .from(1),
      integer("micro_tokens", nullptr,
              "groups of more tokens are backpropagated in parts of about this many; unset: whole")
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
              integer("together", 8, "examples per backward pass, all of one rank; fewer take less memory").from(1),
              integer("neighbours", 1,
                      "examples of the dataset that stay together when it is shuffled, as the questions about one "
                      "record do; what those of one backward pass begin with alike is read once")
                  .from(1),
              integer("steps", 1000, "steps of the run").from(1), word("split", "train", "split of the dataset"),
              word("loss_on", "answer", "tokens that the loss counts").of({"answer", "all"}),
              number("lr", 3e-3, "learning rate").above(0)}),
       {"sft"},
       ""},
      {table(
           "evaluate", "measuring a model",
           {integer("prompts", 64, "total number of prompts, the first of the split or spread over it").from(1),
            integer("group_size", 4, "completions of a prompt").from(1), word("split", "test", "split of the dataset"),
            integer("batch", 16, "prompts per row of the log").from(1)}),
       {"evaluate"},
       ""},
      {table("data", "making a data set",
             {words("splits", "splits of the dataset to read; empty: train, valid and test"),
              integer("records", 0, "most records to read of each split, the first; 0: all").from(0),
              integer("together", 32, "records that a rank processes at once, with concurrent requests to chat models")
                  .from(1)
                  .to(100000),
              word("compute", "float32", "what models that stages ask are multiplied in, as model.compute")
                  .of({"float32", "bfloat16"}),
              word("device", "cpu",
                   "where they compute, with the engine libtorch if not on the CPU; auto: a GPU if there is one")
                  .of({"cpu", "cuda", "auto"}),
              number("most_failed", 0.01, "maximum share of a stage's requests that may remain without an answer")
                  .from(0)
                  .to(1),
              number("most_malformed", 0.1, "maximum share of a stage's requests whose answers can't be parsed")
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
             {number("beta1", 0.9, "decay of the first moment").from(0).below(1),
              number("beta2", 0.999, "decay of the second moment").from(0).below(1),
              number("epsilon", 1e-8, "added to the square root of the second moment").above(0),
              number("weight_decay", 0.0, "decoupled weight decay").from(0),
              number("max_grad_norm", 1.0, "gradients are clipped to this norm; 0: off").from(0),
              word("schedule", "constant", "schedule of the learning rate after the warm-up")
                  .of({"constant", "cosine", "linear"}),
              integer("warmup", 0, "steps of linear warm-up").from(0)}),
       training, ""},
      {word("shard", "none", "what is divided among ranks to save memory: the optimizer's state, or nothing")
           .of({"none", "optimizer"}),
       training, ""},
      {word("overlap", "hosts",
            "when the reduction of gradients overlaps the backward pass: if ranks are on several hosts, always, or "
            "never")
           .of({"hosts", "always", "never"}),
       training, ""},
      {word("sums", "host",
            "where gradients of ranks with a GPU each are added up: on their hosts, or by NCCL on the devices")
           .of({"host", "device"}),
       training, ""},
      {word("nonfinite", "stop",
            "what happens if rewards, loss or gradients of a step are not finite: stop the run, or skip the step's "
            "update")
           .of({"stop", "skip"}),
       training, ""},
      {table("checkpoint", "when checkpoints are saved",
             {integer(
                  "every", nullptr,
                  "steps between checkpoints; the last step always has one; unset: a tenth of the run; 0: not by steps")
                  .from(0),
              number("minutes", 10.0, "minutes between checkpoints, if they pass sooner; 0: not by time").from(0),
              integer("keep", 2, "number of newest checkpoints to keep").from(1)}),
       training, ""},
      {table("validation", "evaluation on the same records during training",
             {integer("every", nullptr, "steps between evaluations; the last step always has one; unset: no validation")
                  .from(1),
              word("split", "valid", "split of the dataset"),
              integer("prompts", 64, "number of records, or all if the split has fewer").from(1),
              integer("group_size", 1, "grpo: completions of a prompt").from(1),
              words("metrics",
                    "metrics to log as validation/<metric>; the first decides; empty: loss (sft), reward (grpo)"),
              word("better", nullptr, "direction of the first metric; unset: lower for loss, higher for rewards")
                  .of({"higher", "lower"}),
              word("keep", "best", "best: keep the best checkpoint as checkpoints/best; last: don't")
                  .of({"best", "last"}),
              integer("patience", nullptr, "evaluations without improvement after which the run ends; unset: never")
                  .from(1)}),
       training, ""},
      {table("record", "what is recorded", {flag("rollouts", true, "keep every token of every completion")}), {}, ""},
      {table("watchdog", "ends a run that makes no progress", {integer("seconds", 300, "without progress").from(1)}),
       {},
       ""},
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
