#include "spec/core_schema.h"

#include <algorithm>

namespace compeer::spec {

namespace {

// Builds a parameter in one line: integer("steps", 100, "...").from(1).to(10)
struct Field : Parameter {
  Field(const std::string& key, Type kind, std::optional<json> standard, const std::string& text) {
    name = key, type = kind, default_value = std::move(standard), help = text;
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

std::vector<Section> whole_run() {
  return {
      {required("name", "what the run is called: letters, digits, '.', '_', '-', at most 100"), {}, ""},
      {required("task", "what the run does").of({"sft", "grpo", "evaluate"}), {}, ""},
      {integer("seed", 1, "every random number is a function of it").from(0), {}, ""},
      {integer("ranks", 1, "processes the work is shared between").from(1).to(4096), {}, ""},
      {integer("threads", 1, "threads of each rank").from(1).to(256), {}, ""},
  };
}

std::vector<Section> plugin_sections() {
  return {
      {table("model", "the model that is trained or evaluated",
             {word("plugin", "qwen2", "model plugin"),
              Field("tokenizer", Type::path, json(nullptr), "folder with the tokenizer; unset: the model's own path")}),
       {},
       "models"},
      {table("dataset", "where the prompts come from", {required("plugin", "dataset plugin")}), {}, "datasets"},
      {plugins("rewards", "what judges a completion; their weighted sum is the reward",
               {required("plugin", "reward plugin"), number("weight", 1.0, "factor in the sum"),
                word("label", nullptr, "name in records; unset: the plugin's name; no two the same")}),
       {"grpo", "evaluate"},
       "rewards"},
      {table("reweighting", "how rewards are reweighted within a group",
             {word("plugin", "none", "reweighting plugin")}),
       {"grpo", "evaluate"},
       "reweighting"},
  };
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
      {table("grpo", "group relative policy optimization",
             {integer("group_size", 4, "completions of a prompt").from(1),
              integer("batch", 8, "prompts of a step, over all ranks").from(1),
              integer("steps", 100, "steps of the run").from(1), word("split", "train", "split of the dataset"),
              word("loss", "grpo", "how token losses are averaged").of({"grpo", "bnpo", "dr_grpo"}),
              word("level", "token", "what an importance ratio belongs to").of({"token", "sequence"}),
              number("clip", 0.2, "clip range of the ratio").above(0),
              integer("updates", 1, "updates of the weights from one rollout").from(1),
              word("divisor", "std", "what advantages are divided by").of({"std", "fixed", "none"}),
              number("divisor_value", 1.0, "the divisor if it is fixed").above(0),
              number("epsilon", 1e-6, "added to the standard deviation").from(0),
              number("lr", 1e-6, "learning rate").above(0)}),
       {"grpo"},
       ""},
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
           {integer("prompts", 64, "prompts in all").from(1),
            integer("group_size", 4, "completions of a prompt").from(1), word("split", "test", "split of the dataset"),
            integer("batch", 16, "prompts of a row in the log").from(1)}),
       {"evaluate"},
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
      {table("checkpoint", "what can be resumed and used later",
             {integer("every", 0, "steps between checkpoints; 0: only at the end").from(0),
              integer("keep", 2, "newest checkpoints kept").from(1)}),
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
