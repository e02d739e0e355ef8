// Checks a resolved spec for settings that contradict each other.
#include "spec/conflicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/model_folder.h"

namespace compeer::spec {

namespace {

using nlohmann::json;

bool one_of(const json& value, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* name) { return value == name; });
}

class Grpo {
 public:
  explicit Grpo(const json& spec) : spec_(spec), own_(spec.at("grpo")) {}

  std::vector<Conflict> run() {
    clip();
    level();
    entropy();
    kl();
    gdpo();
    advantage();
    weights();
    memory();
    return found_;
  }

 private:
  bool is(const char* key, const char* value) const { return own_.at(key) == value; }
  double number(const char* key) const { return own_.at(key).get<double>(); }
  bool set(const char* key) const { return !own_.at(key).is_null(); }

  // Reports "'grpo.key' = value" followed by `why`.
  void conflict(const std::string& key, const std::string& why, const std::string& help) {
    found_.push_back({"grpo." + key, fmt::format("'grpo.{}' = {} {}", key, show(own_.at(key)), why), help});
  }

  void clip() {
    const json& loss = own_.at("loss");
    const bool clips = one_of(loss, {"grpo", "bnpo", "dr_grpo", "dapo", "luspo", "gspo"});
    for (const char* key : {"clip_low", "clip_high", "delta", "dual_clip"}) {
      const bool range = std::string(key).starts_with("clip");
      if (!set(key) || clips || (range && loss == "clip_cov")) continue;
      conflict(key, fmt::format("has no effect with loss = {}", show(loss)),
               loss == "cispo" ? "set cispo_min and cispo_max, the limits of cispo"
                               : "omit it, or use a loss that clips, such as grpo or dapo");
    }
    if (number("cispo_min") > number("cispo_max"))
      conflict("cispo_min", "is above cispo_max", "set cispo_min to at most cispo_max");
    if (number("clip_cov_low") >= number("clip_cov_high"))
      conflict("clip_cov_low", "is not below clip_cov_high", "set clip_cov_low below clip_cov_high");
  }

  void memory() {
    if (set("micro_tokens") && spec_.at("model").value("engine", json()) == "libtorch")
      conflict("micro_tokens", "requires model.engine = \"exact\"",
               "omit it: the libtorch engine backpropagates whole groups");
  }

  void entropy() {
    if (set("entropy_target") && number("entropy_bonus") > number("entropy_bonus_max"))
      conflict("entropy_bonus", "is above entropy_bonus_max",
               "set entropy_bonus, the initial value, to at most entropy_bonus_max");
  }

  void level() {
    const json& loss = own_.at("loss");
    if (!is("level", "token") && one_of(loss, {"clip_cov", "kl_cov"}))
      conflict("level", fmt::format("can't be combined with loss = {}, which selects tokens", show(loss)),
               "set level = \"token\", or loss = \"gspo\"");
    if (is("level", "sequence_product") && loss == "gspo")
      conflict("level", "can't be combined with loss = \"gspo\", whose ratio is the geometric mean over tokens",
               "omit 'level', or set loss = \"grpo\"");
  }

  void kl() {
    if (is("kl_in", "reward") && own_.at("kl_times_ratio").get<bool>())
      conflict("kl_times_ratio", "applies to a KL term in the loss, but kl_in = \"reward\"",
               "omit it, or set kl_in = \"loss\"");
  }

  void gdpo() {
    if (!is("combine", "gdpo")) return;
    const auto refuse = [&](const std::string& why, const std::string& help) { conflict("combine", why, help); };
    for (const auto& [key, needed] : {std::pair{"baseline", "group"}, {"divisor", "std"}}) {
      if (!is(key, needed))
        refuse(fmt::format("normalises each reward within its group, but {} = {}", key, show(own_.at(key))),
               fmt::format("omit '{}', or set combine = \"sum\"", key));
    }
    if (number("divisor_floor") > 0)
      refuse("does not support divisor_floor", "omit 'divisor_floor', or set combine = \"sum\"");
    if (is("kl_in", "reward") && number("beta") > 0)
      refuse("has no sum of rewards to subtract a KL term from", "set kl_in = \"loss\", or combine = \"sum\"");
    if (spec_.at("reweighting").at("plugin") != "none")
      refuse(fmt::format("has no sum of rewards for reweighting = {}", show(spec_.at("reweighting").at("plugin"))),
             "set [reweighting] plugin = \"none\", or combine = \"sum\"");
  }

  void advantage() {
    if (number("divisor_floor") > 0 && one_of(own_.at("divisor"), {"fixed", "none"}))
      conflict("divisor_floor",
               fmt::format("requires a standard deviation as divisor, but divisor = {}", show(own_.at("divisor"))),
               "omit it, or set divisor = \"std\" or \"batch\"");
    if (own_.at("group_size") != 1) return;
    if (!is("baseline", "none"))
      conflict("group_size", fmt::format("makes every advantage 0 with baseline = {}", show(own_.at("baseline"))),
               "set group_size to 2 or more, or baseline = \"none\"");
    else if (is("divisor", "std"))
      conflict("group_size", "has no standard deviation to divide by",
               "set divisor = \"batch\", \"fixed\" or \"none\"");
  }

  void weights() {
    const json& rewards = spec_.at("rewards");
    const auto none = [](const json& reward) { return reward.at("weight") == 0.0; };
    if (rewards.empty() || !std::all_of(rewards.begin(), rewards.end(), none)) return;
    found_.push_back({"rewards[0].weight", "every reward has weight 0, so there is nothing to train on",
                      "set a weight, or use task = \"evaluate\" to compute rewards without training"});
  }

  const json &spec_, &own_;
  std::vector<Conflict> found_;
};

// Stages with a setting `name` store answers in records under that name or, if it is unset, under the name of the model
// that answers. A second stage with the same name would overwrite the answers of the first.
std::vector<Conflict> of_names(const json& stages) {
  std::vector<Conflict> found;
  std::map<std::string, size_t> known;
  for (size_t i = 0; i < stages.size(); ++i) {
    if (!stages[i].contains("name")) continue;
    const json& name = stages[i]["name"];
    auto called = stages[i].at("plugin").get<std::string>() + name.dump();
    for (const auto& [key, value] : stages[i].items())
      if (name.is_null() && value.is_object() && value.contains("plugin")) called += value.dump();
    const auto [first, is_new] = known.try_emplace(called, i);
    if (is_new) continue;
    const auto path = fmt::format("stages[{}].name", i);
    const auto what = name.is_null() ? "is unset, and the model is" : fmt::format("= {} is", show(name));
    found.push_back({path,
                     fmt::format("'{}' {} that of stages[{}]: the answers of one would overwrite those of the other",
                                 path, what, first->second),
                     fmt::format("give each stage '{}' a different name", stages[i]["plugin"].get<std::string>())});
  }
  return found;
}

// Settings of prompts for a policy have no effect in a data run: stages have prompts of their own.
std::vector<Conflict> of_data(const json& spec) {
  std::vector<Conflict> found = of_names(spec.at("stages"));
  for (const char* key : {"system", "max_prompt_tokens"}) {
    if (spec.at("dataset").at(key).is_null()) continue;
    const auto path = fmt::format("dataset.{}", key);
    found.push_back({path, fmt::format("'{}' has no effect with task = \"data\", which runs no policy", path),
                     "omit it: only tasks that train or evaluate a model use it"});
  }
  return found;
}

// A prefix that neighbours share is computed once only if all of them are in the same batch and backward pass.
std::vector<Conflict> of_sft(const json& own) {
  std::vector<Conflict> found;
  const auto neighbours = own.at("neighbours").get<int64_t>();
  for (const char* key : {"batch", "micro_batch"}) {
    const auto size = own.at(key).get<int64_t>();
    if (size % neighbours == 0) continue;
    found.push_back({"sft.neighbours",
                     fmt::format("'sft.neighbours' = {}, but 'sft.{}' = {} would separate them", neighbours, key, size),
                     fmt::format("set sft.{} to a multiple, such as {}", key, (size / neighbours + 1) * neighbours)});
  }
  return found;
}

std::vector<Conflict> of_validation(const json& spec) {
  const json& own = spec.at("validation");
  if (!own.at("every").is_null() || own.at("patience").is_null()) return {};
  return {{"validation.patience", "'validation.patience' counts validations, but 'validation.every' is unset",
           "set validation.every to a number of steps"}};
}

// True if the model's own weights are trained, rather than an adapter. False if the folder at `path` does not exist
// yet.
bool trains(const json& model) {
  if (model.value("frozen", json()) != false || !model.value("adapter", json()).is_null()) return false;
  const json path = model.value("path", json());
  if (!path.is_string()) return true;
  std::error_code none;
  return std::filesystem::exists(path.get<std::string>(), none) && !holds_adapter(path.get<std::string>());
}

// Combinations that plugins/models/decoder rejects when it opens a model. Other model plugins may lack these settings.
std::vector<Conflict> of_model(const json& model) {
  const json engine = model.value("engine", json()), precision = model.value("precision", json());
  const bool in_blocks = one_of(precision, {"q8_0", "q4_0"});
  const auto conflict = [&](const std::string& key, const std::string& why, const std::string& help) {
    const auto path = "model." + key;
    return std::vector<Conflict>{{path, fmt::format("'{}' = {}{}", path, show(model.at(key)), why), help}};
  };
  if (model.value("device", json()) == "cuda" && engine == "exact")
    return conflict("device", ", but the kernels of model.engine = \"exact\" compute on the CPU",
                    "set model.engine to 'libtorch'; its log-probs agree with the trainer's to rounding only");
  if ((in_blocks || precision == "stored") && trains(model))
    return conflict("precision", ", but weights that train are float32 or bfloat16",
                    in_blocks
                        ? "train an adapter of this model (model.adapter), or set precision to float32 or bfloat16"
                        : "set model.frozen = true, or set precision to float32 or bfloat16");
  if (in_blocks && engine == "libtorch")
    return conflict("precision", " requires model.engine = \"exact\"",
                    "set precision = \"bfloat16\", or engine = \"exact\"");
  if (in_blocks && model.value("compute", json()) == "bfloat16")
    return conflict("compute", fmt::format(", but weights in {} are multiplied in float32", show(precision)),
                    "set model.precision = \"bfloat16\"");
  return {};
}

}  // namespace

std::vector<Conflict> conflicts(const json& values) {
  if (values.at("task") == "data") return of_data(values);
  std::vector<Conflict> found = of_model(values.value("model", json::object()));
  const auto add = [&](const std::vector<Conflict>& more) { found.insert(found.end(), more.begin(), more.end()); };
  if (values.contains("validation")) add(of_validation(values));
  if (values.contains("sft")) add(of_sft(values.at("sft")));
  if (!values.contains("grpo")) return found;
  add(Grpo(values).run());
  return found;
}

}  // namespace compeer::spec
