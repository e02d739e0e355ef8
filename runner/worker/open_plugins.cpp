// Opens the plugins of planned runs without running them, and predicts the names of the runs' metrics.
#include "worker/open_plugins.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

#include "base/error.h"
#include "base/files.h"
#include "base/model_folder.h"
#include "compeer/dataset.h"
#include "compeer/language_model.h"
#include "compeer/model.h"
#include "inference/check_tokenizer.h"
#include "plugin/calls.h"
#include "train/batch/records.h"
#include "train/metrics/step_table.h"
#include "train/validation.h"

namespace compeer::worker {

using nlohmann::json;

namespace {

// A language model that throws when it is called.
class UnavailableLanguageModel : public LanguageModel {
 public:
  std::unique_ptr<Conversation> begin(const std::vector<Turn>&) override { refuse(); }
  std::vector<Completion> answer(const std::vector<Conversation*>&, const std::vector<std::string>&,
                                 const SamplingParams&) override {
    refuse();
  }
  std::vector<std::vector<ScoredAnswer>> ask(const std::vector<Conversation*>&,
                                             const std::vector<std::vector<Question>>&, const SamplingParams&,
                                             bool) override {
    refuse();
  }
  std::vector<std::vector<float>> score(const std::vector<Conversation*>&, const std::vector<std::string>&) override {
    refuse();
  }

 private:
  [[noreturn]] static void refuse() { throw std::logic_error("no model is read before the run begins"); }
};

using Names = std::vector<std::string>;

// Adds the names of a step's metrics that do not come from completions; see docs/records.md.
void add_steps(const json& spec, Names& names) {
  const auto add = [&](std::initializer_list<const char*> more) {
    names.insert(names.end(), more.begin(), more.end());
  };
  const auto& task = spec.at("task");
  add({"tokens", "tokens_per_second"});
  if (task == "evaluate") return add({"peak_memory", "seconds/*"});
  add({"loss", "grad_norm", "lr", "seconds/*"});
  if (spec.value("nonfinite", "stop") == "skip") add({"left_out"});
  if (task == "sft") return;
  add({"advantage_mean", "advantage_std", "advantage_abs", "surrogate", "clip_share", "clip_share_low",
       "clip_share_high", "ratio_distance", "rollout_trainer_max_diff", "peak_memory"});
  const auto& grpo = spec.at("grpo");
  if (grpo.at("beta") > 0) add({"kl", "reference_kl"});
  if (grpo.at("resample") > 0) add({"replaced"});
  if (!grpo.at("entropy_target").is_null()) add({"entropy_bonus"});
}

// Opens the plugins of all specs; plugins with equal settings are opened once.
class RunPreflight : private PluginPreflight {
 public:
  // Opens the plugins of a spec and returns the names of its metrics, as far as the plugins know them.
  Names open(const json& spec_file, const std::set<std::string>& missing) {
    const json& spec = spec_file.at("spec");
    begin(spec_file);
    missing_ = missing;
    Names columns{"reward"};
    open_dataset(spec);
    if (spec.contains("model")) load<Model>(spec.at("model"));
    if (spec.contains("model") && !is_missing("model")) {
      const json path = spec.at("model").value("path", json());
      if (path.is_string() && std::filesystem::exists(path.get<std::string>()))
        check_model_folder(path.get<std::string>());
      inference::check_tokenizer(spec.at("model"));
    }
    each_part(spec, [&](const json&, std::string column) { columns.push_back(std::move(column)); });
    columns.emplace_back("reweighted");
    if (spec.contains("reweighting")) {
      const auto& table = spec.at("reweighting");
      for (const auto& factor : tried<Reweighting>("reweighting", table))
        columns.push_back(fmt::format("{}/{}", table.at("plugin").get<std::string>(), factor));
    }
    each(spec, "stages", [&](const std::string& path, json table) {
      table.erase("label");
      tried<Stage>(path, table);
    });
    if (spec.at("task") == "data") return {};
    Names all;
    if (spec.contains("rewards")) all = train::StepTable::metric_names(columns);
    std::erase_if(all, [](const std::string& name) { return name.ends_with("*_std"); });
    add_validation(spec, all);
    add_steps(spec, all);
    if (spec.at("task") == "grpo") add_shares(spec, all);
    return all;
  }

 private:
  template <class F>
  static void each(const json& spec, const std::string& list, F&& f) {
    if (!spec.contains(list)) return;
    for (size_t i = 0; i < spec.at(list).size(); ++i) f(fmt::format("{}[{}]", list, i), spec.at(list)[i]);
  }

  // Checks the settings of validation and adds the names of its metrics. `all`: metrics of completions; empty for sft.
  static void add_validation(const json& spec, Names& all) {
    if (!validates(spec)) return;
    auto wanted = spec.at("validation").at("metrics").get<Names>();
    const Names known = all.empty() ? Names{"loss"} : all;
    if (wanted.empty()) wanted = {all.empty() ? "loss" : "reward"};
    const bool unknown = std::any_of(known.begin(), known.end(), [](const auto& name) { return name.ends_with('*'); });
    for (const auto& name : wanted) {
      if (!unknown && std::find(known.begin(), known.end(), name) == known.end())
        throw Error("validation.metrics", fmt::format("no metric '{}'", name), suggest(name, known), Exit::spec);
      all.push_back("validation/" + name);
    }
    train::lower_is_better(Settings(spec.at("validation")), wanted.front());
    all.insert(all.end(), {"validation/best_step", "seconds/validation"});
  }

  template <class F>
  void each_part(const json& spec, F&& f) {
    each(spec, "rewards", [&](const std::string& path, const json& table) {
      for (const auto& part : tried<Reward>(path, table)) f(table, fmt::format("rewards/{}/{}", label(table), part));
    });
  }

  void add_shares(const json& spec, Names& all) {
    each_part(spec, [&](const json& table, const std::string& column) {
      if (table.at("weight") != 0 && !column.ends_with('*')) all.push_back(column + "_share");
    });
  }

  static std::string label(const json& table) {
    return table.at("label").is_null() ? table.at("plugin").get<std::string>() : table.at("label").get<std::string>();
  }

  // Opens the dataset and checks that every split that the task reads has records.
  void open_dataset(const json& spec) {
    const json& table = spec.at("dataset");
    if (is_missing("dataset")) return load<Dataset>(table);
    if (const auto key = table.dump(); !dataset_ || dataset_->first != key) {
      dataset_.reset();
      dataset_.emplace(key, opened<Dataset>(table));
    }
    const auto task = spec.at("task").get<std::string>();
    const auto look = [&](const std::string& section, const json& split) {
      return plugin::records_in(dataset_->second, split.get<std::string>(), section);
    };
    if (task == "data") {
      for (const auto& split : spec.at("data").at("splits")) look("data.splits", split);
      return;
    }
    const json& own = spec.at(task);
    const auto records = look(task + ".split", own.at("split"));
    if (task == "sft") train::check_neighbours(own.at("neighbours"), own.at("split"), records);
    if (validates(spec)) look("validation.split", spec.at("validation").at("split"));
  }

  static bool validates(const json& spec) {
    return spec.contains("validation") && !spec.at("validation").at("every").is_null();
  }

  bool is_missing(const std::string& path) const {
    return std::any_of(missing_.begin(), missing_.end(),
                       [&](const std::string& value) { return value.starts_with(path + "."); });
  }

  // Opens a plugin and returns its columns. If a file is missing, loads only the library and returns "*": any columns.
  template <class T>
  Names tried(const std::string& path, const json& table) {
    if (is_missing(path)) return load<T>(table), Names{"*"};
    const auto key = std::string(T::kind) + table.dump();
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    return known_[key] = made<T>(table);
  }

  template <class T>
  Names made(const json& table) {
    auto plugin = opened<T>(table);
    if constexpr (std::is_same_v<T, Reward>) return plugin::columns(plugin);
    if constexpr (std::is_same_v<T, Reweighting>) return plugin::factors(plugin);
    if constexpr (std::is_same_v<T, Stage>) plugin.call("cache_key", [](Stage& s) { return s.cache_key(); });
    return {};
  }

  std::set<std::string> missing_;
  std::map<std::string, Names> known_;
  std::optional<std::pair<std::string, plugin::Plugin<Dataset>>> dataset_;  // the last one, with its settings as key
};

Names opened(RunPreflight& opening, const json& one) {
  try {
    return opening.open(one.at("file"), one.at("missing").get<std::set<std::string>>());
  } catch (const Error& error) {
    const auto name = one.at("file").at("spec").at("name").get<std::string>();
    throw Error(fmt::format("run '{}'{}", name, error.where().empty() ? "" : ": " + error.where()), error.problem(),
                error.help(), error.exit());
  }
}

}  // namespace

PluginPreflight::PluginPreflight() : services_(inference::command_services()) {
  static UnavailableLanguageModel speechless;
  services_.seed = 1;
  services_.find = [this](const std::string& kind, const std::string& name) {
    return inference::chosen(plugins_, kind, name);
  };
  services_.language_model = [](const std::string&) -> LanguageModel& { return speechless; };
}

void PluginPreflight::begin(const json& spec_file) {
  run_ = spec_file.at("spec").at("name").get<std::string>();
  plugins_ = spec_file.at("plugins");
}

plugin::PluginFile PluginPreflight::announced(const std::string& kind, const json& table) const {
  const auto chosen = inference::chosen(plugins_, kind, table.at("plugin").get<std::string>());
  std::cout << json{{"opening", chosen.kind + "/" + chosen.name}, {"run", run_}}.dump() << std::endl;
  return chosen;
}

int preflight(const json& options) {
  const auto specs = json::parse(read_plain_file(options.at("input").get<std::string>(), 1 << 30));
  RunPreflight opening;
  json columns = json::array();
  for (const json& one : specs) columns.push_back(opened(opening, one));
  std::cout << json{{"columns", columns}}.dump() << std::endl;
  return 0;
}

}  // namespace compeer::worker
