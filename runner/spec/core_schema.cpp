// Names, ranges, defaults and help texts of all settings that are not plugins' own. tables.cpp declares those tables
// that are also structs.
#include "spec/core_schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "spec/tables.h"

namespace compeer::spec {

namespace {

SettingField made(const std::string& key, Type type, std::optional<json> standard, const std::string& text) {
  SettingField field;
  field.name = key, field.type = type, field.default_value = std::move(standard), field.help = text;
  return field;
}

SettingField integer(const std::string& key, json standard, const std::string& text) {
  return made(key, Type::integer, standard, text);
}
SettingField number(const std::string& key, json standard, const std::string& text) {
  return made(key, Type::number, standard, text);
}
SettingField flag(const std::string& key, bool standard, const std::string& text) {
  return made(key, Type::boolean, standard, text);
}
SettingField word(const std::string& key, json standard, const std::string& text) {
  return made(key, Type::string, standard, text);
}
SettingField words(const std::string& key, const std::string& text) {
  SettingField list = made(key, Type::list, json::array(), text);
  list.items = Type::string;
  return list;
}
SettingField required(const std::string& key, const std::string& text) {
  return made(key, Type::string, std::nullopt, text);
}

SettingField table(const std::string& key, const std::string& text, Schema fields) {
  SettingField all = made(key, Type::table, json::object(), text);
  all.fields = std::move(fields);
  return all;
}

SettingField plugins(const std::string& key, const std::string& text, Schema fields) {
  SettingField list = made(key, Type::list, std::nullopt, text);
  list.items = Type::table;
  list.fields = std::move(fields);
  list.min = 1;
  return list;
}

SettingField stages() {
  SettingField list =
      plugins("stages", "stages that process the records, in order: JSON lines in, JSON lines out",
              {required("plugin", "stage plugin"),
               word("label", nullptr, "name of the stage in file names and reports; unset: the plugin's name")});
  list.default_value = json::array();
  list.min = std::nullopt;
  return list;
}

std::vector<Section> whole_run() {
  return {
      {required("name", "name of the run: letters, digits, '.', '_', '-', at most 100"), {}, ""},
      {required("task", "what the run does").of({"sft", "grpo", "evaluate", "data"}), {}, ""},
      {integer("seed", 1, "seed of all random numbers").from(0), {}, ""},
      {integer("ranks", 1, "number of ranks: MPI processes that share the work").from(1).to(most_ranks), {}, ""},
      {integer("threads", 1, "number of threads of each rank").from(1).to(256), {}, ""},
  };
}

Schema dataset_fields() {
  SettingField system =
      word("system", nullptr, "system prompt that replaces the system turn of the records; unset: the records' own");
  system.contents_of = "system_file";
  return {required("plugin", "dataset plugin"), system,
          made("system_file", Type::path, json(nullptr), "file whose text is 'system'"),
          integer("max_prompt_tokens", nullptr,
                  "maximum length of a prompt in tokens; unset: the room in the model's context")
              .from(1),
          word("long_prompts", "trim",
               "longer prompts: error ends the run before its first step, skip omits the record, trim removes the "
               "oldest turns")
              .of({"error", "skip", "trim"})};
}

std::vector<Section> plugin_sections() {
  return {
      {table("model", "the model that is trained or evaluated",
             {word("plugin", "qwen2", "model plugin; auto: the plugin for the type of the model at 'path'"),
              made("tokenizer", Type::path, json(nullptr), "folder with the tokenizer; unset: the model's own path"),
              flag("foreign_tokenizer", false, "allow a tokenizer that is not the model's own")}),
       {"sft", "grpo", "evaluate"},
       "models"},
      {table("dataset", "dataset with the prompts", dataset_fields()), {}, "datasets"},
      {stages(), {"data"}, "stages"},
      {plugins(
           "rewards", "terms of the reward; the reward is their weighted sum",
           {required("plugin", "reward plugin"), number("weight", 1.0, "factor in the sum"),
            word("label", nullptr, "name in records, unique; unset: the plugin's name"),
            number("floor", nullptr, "lower bound of the reward; unset: none"),
            number("ceiling", nullptr, "upper bound of the reward; unset: none"),
            number("truncated_factor", 1.0, "factor for the reward of truncated completions; 1: no change")
                .from(0)
                .to(1),
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

std::vector<Section> task_sections() {
  return {
      {table("sampling", "how completions are sampled", schema_of<Sampling>()), {"grpo", "evaluate"}, ""},
      {table("grpo", "group relative policy optimization", schema_of<GrpoTable>()), {"grpo"}, ""},
      {table("sft", "supervised fine-tuning",
             {integer("batch", 16, "examples of a step, over all ranks").from(1),
              integer("micro_batch", 8,
                      "micro-batch size: examples per backward pass on one rank; smaller values need less memory")
                  .from(1),
              integer("neighbours", 1,
                      "consecutive examples that shuffling keeps together, such as the questions about one record; a "
                      "prefix that they share in a micro-batch is computed once; 1: none")
                  .from(1),
              integer("steps", 1000, "steps of the run").from(1), word("split", "train", "split of the dataset"),
              word("loss_on", "answer", "tokens that the loss includes").of({"answer", "all"}),
              number("lr", 3e-3, "learning rate").above(0)}),
       {"sft"},
       ""},
      {table(
           "evaluate", "evaluation of a model",
           {integer("prompts", 64, "total number of prompts, the first of the split or spread over it").from(1),
            integer("group_size", 4, "completions of a prompt").from(1), word("split", "test", "split of the dataset"),
            integer("batch", 16, "prompts per row of the log").from(1)}),
       {"evaluate"},
       ""},
      {table(
           "data", "production of a data set",
           {words("splits", "splits of the dataset to read; empty: train, valid and test"),
            integer("records", 0, "maximum number of records to read from the start of each split; 0: all").from(0),
            integer("concurrency", 32,
                    "number of records that a rank processes at the same time, with concurrent requests to chat models")
                .from(1)
                .to(100000),
            word("compute", "float32", "precision of matrix products of the models that stages use; see model.compute")
                .of({"float32", "bfloat16"}),
            word("device", "cpu",
                 "device of the models that stages use, with the engine libtorch unless it is the CPU; auto: a GPU if "
                 "any")
                .of({"cpu", "cuda", "auto"}),
            number("max_failed", 0.01,
                   "maximum share of a stage's requests that get no answer; above it the run ends; 1: no limit")
                .from(0)
                .to(1),
            number(
                "max_malformed", 0.1,
                "maximum share of a stage's requests whose answers can't be parsed; above it the run ends; 1: no limit")
                .from(0)
                .to(1)}),
       {"data"},
       ""},
  };
}

std::vector<Section> house_sections() {
  const std::vector<std::string> training = {"sft", "grpo"};
  return {
      {table("optimizer", "AdamW", schema_of<OptimizerTable>()), training, ""},
      {word("shard", "none", "what ranks shard to save memory: the optimizer's state, or nothing")
           .of({"none", "optimizer"}),
       training, ""},
      {word("overlap", "hosts",
            "when the reduction of gradients overlaps the backward pass: if ranks are on several hosts, always, or "
            "never")
           .of({"hosts", "always", "never"}),
       training, ""},
      {word("sums", "host",
            "where gradients of ranks with a GPU each are reduced: on their hosts, or by NCCL on the devices")
           .of({"host", "device"}),
       training, ""},
      {word("nonfinite", "stop",
            "what happens if rewards, loss or gradients of a step are not finite: stop the run, or skip the step's "
            "update")
           .of({"stop", "skip"}),
       training, ""},
      {table(
           "checkpoint", "when checkpoints are saved",
           {integer(
                "every", nullptr,
                "steps between checkpoints; the last step always has one; unset: a tenth of the run; 0: not by steps")
                .from(0),
            number("minutes", 10.0, "minutes between checkpoints, if this is sooner than 'every' steps; 0: not by time")
                .from(0),
            integer("keep", 2, "number of newest checkpoints to keep").from(1)}),
       training, ""},
      {table(
           "validation", "evaluation on the same records during training",
           {integer("every", nullptr, "steps between evaluations; the last step always has one; unset: no validation")
                .from(1),
            word("split", "valid", "split of the dataset"),
            integer("prompts", 64, "number of records of the split; all if it has fewer").from(1),
            integer("group_size", 1, "grpo: completions of a prompt").from(1),
            words("metrics",
                  "metrics to log as validation/<metric>; the first selects the best checkpoint; empty: loss (sft), "
                  "reward (grpo)"),
            word("better", nullptr, "direction of the first metric; unset: lower for loss, higher for rewards")
                .of({"higher", "lower"}),
            word("keep", "best", "best: also keep the best checkpoint, as checkpoints/best; last: only the newest ones")
                .of({"best", "last"}),
            integer("patience", nullptr, "evaluations without improvement after which the run ends; unset: never")
                .from(1)}),
       training, ""},
      {table("record", "what is recorded", {flag("rollouts", true, "record every token of every completion")}), {}, ""},
      {table("watchdog", "ends a run that makes no progress",
             {integer("seconds", 300, "seconds without progress after which the run ends").from(1)}),
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

std::string elsewhere(const std::string& key, const json& task) {
  std::vector<std::string> paths;
  for (const auto& section : core_schema()) {
    const auto& name = section.parameter.name;
    if (name == key) return fmt::format("write '{}' at the top, before the first [table]", key);
    if (!find(section.parameter.fields, key) || key == "plugin") continue;
    if (task.is_string() && !section.used_by(task.get<std::string>())) continue;
    paths.push_back(fmt::format("'{}{}.{}'", name, section.parameter.type == Type::list ? "[0]" : "", key));
  }
  return paths.empty() ? "" : fmt::format("did you mean {}?", fmt::join(paths, " or "));
}

}  // namespace compeer::spec
