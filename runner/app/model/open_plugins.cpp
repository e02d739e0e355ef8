#include "app/model/open_plugins.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <stdexcept>

#include "app/model/open_plugin.h"
#include "base/error.h"
#include "base/plain_file.h"
#include "compeer/dataset.h"
#include "compeer/model.h"
#include "compeer/speaker.h"
#include "plugin/calls.h"
#include "train/cast/services.h"
#include "train/telling/step_table.h"

namespace compeer::app {

namespace {

using nlohmann::json;
using Names = std::vector<std::string>;

// What else is logged of steps, depending on the task and its settings.
constexpr const char* of_steps[] = {"advantage",
                                    "advantage_mean",
                                    "advantage_std",
                                    "advantage_abs",
                                    "loss",
                                    "surrogate",
                                    "clip_share",
                                    "clip_share_low",
                                    "clip_share_high",
                                    "ratio_distance",
                                    "rollout_trainer_max_diff",
                                    "grad_norm",
                                    "lr",
                                    "tokens",
                                    "tokens_per_second",
                                    "peak_memory",
                                    "kl",
                                    "reference_kl",
                                    "replaced",
                                    "left_out",
                                    "entropy_bonus",
                                    "step"};

class Speechless : public Speaker {
 public:
  std::unique_ptr<Talk> begin(const std::vector<Turn>&) override { refuse(); }
  std::vector<Said> answer(const std::vector<Talk*>&, const std::vector<std::string>&, const Manner&) override {
    refuse();
  }
  std::vector<std::vector<Answered>> ask(const std::vector<Talk*>&, const std::vector<std::vector<Question>>&,
                                         const Manner&, bool) override {
    refuse();
  }

 private:
  [[noreturn]] static void refuse() { throw std::logic_error("no model is read before the run begins"); }
};

/// The plugins of all specs; those with equal settings are opened once.
class Opening {
 public:
  // Names of the figures that the run will have, as far as plugins tell.
  Names open(const json& spec_file, const std::set<std::string>& missing) {
    const json& spec = spec_file.at("spec");
    run_ = spec.at("name").get<std::string>();
    plugins_ = spec_file.at("plugins");
    missing_ = missing;
    Names columns{"reward"};
    tried<Dataset>("dataset", spec.at("dataset"));
    if (spec.contains("model")) load<Model>(spec.at("model"));
    each(spec, "rewards", [&](const std::string& path, const json& table) {
      for (const auto& part : tried<Reward>(path, table))
        columns.push_back(fmt::format("rewards/{}/{}", label(table), part));
    });
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
    auto all = train::StepTable::columns(columns);
    std::erase_if(all, [](const std::string& name) { return name.ends_with("*_std"); });
    add_validation(spec, all);
    all.insert(all.end(), std::begin(of_steps), std::end(of_steps));
    return all;
  }

 private:
  template <class F>
  static void each(const json& spec, const std::string& list, F&& f) {
    if (!spec.contains(list)) return;
    for (size_t i = 0; i < spec.at(list).size(); ++i) f(fmt::format("{}[{}]", list, i), spec.at(list)[i]);
  }

  // `all`: figures of completions, where there are rewards.
  static void add_validation(const json& spec, Names& all) {
    if (!spec.contains("validation") || spec.at("validation").at("every").is_null()) return;
    const bool sft = spec.at("task") == "sft";
    auto wanted = spec.at("validation").at("metrics").get<Names>();
    if (wanted.empty()) wanted = {sft ? "loss" : "reward"};
    const Names known = sft ? Names{"loss"} : all;
    const bool unknown = std::any_of(known.begin(), known.end(), [](const auto& name) { return name.ends_with('*'); });
    for (const auto& name : wanted) {
      if (!unknown && std::find(known.begin(), known.end(), name) == known.end())
        throw Error("validation.metrics", fmt::format("no metric '{}'", name), suggest(name, known), Exit::spec);
      all.push_back("validation/" + name);
    }
    all.insert(all.end(), {"validation/best_step", "seconds/validation"});
  }

  static std::string label(const json& table) {
    return table.at("label").is_null() ? table.at("plugin").get<std::string>() : table.at("label").get<std::string>();
  }

  // Its columns; "*", which stands for any, if it can't be made yet.
  template <class T>
  Names tried(const std::string& path, const json& table) {
    const auto begins = [&](const std::string& value) { return value.starts_with(path + "."); };
    if (std::any_of(missing_.begin(), missing_.end(), begins)) return load<T>(table), Names{"*"};
    const auto key = std::string(T::kind) + table.dump();
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    return known_[key] = made<T>(table);
  }

  template <class T>
  Names made(const json& table) {
    const auto chosen = announced<T>(table);
    auto plugin = plugin::open<T>(chosen, Settings(table), std::make_unique<plugin::RunHost>(chosen, services_));
    if constexpr (std::is_same_v<T, Reward>) return plugin::parts(plugin);
    if constexpr (std::is_same_v<T, Reweighting>) return plugin::factors(plugin);
    if constexpr (std::is_same_v<T, Stage>) plugin.call("ingredients", [](Stage& s) { return s.ingredients(); });
    return {};
  }

  template <class T>
  void load(const json& table) {
    plugin::Library(announced<T>(table), T::kind);
  }

  template <class T>
  plugin::Chosen announced(const json& table) {
    const auto chosen = train::chosen(plugins_, T::kind, table.at("plugin").get<std::string>());
    std::cout << json{{"opening", chosen.kind + "/" + chosen.name}, {"run", run_}}.dump() << std::endl;
    return chosen;
  }

  static plugin::Services services(const json& plugins, Speaker& speaker) {
    auto services = command_services();
    services.seed = 1;
    services.find = [&plugins](const std::string& kind, const std::string& name) {
      return train::chosen(plugins, kind, name);
    };
    services.speaker = [&speaker](const std::string&) -> Speaker& { return speaker; };
    return services;
  }

  std::string run_;
  json plugins_;
  std::set<std::string> missing_;
  std::map<std::string, Names> known_;
  Speechless speechless_;
  const plugin::Services services_ = services(plugins_, speechless_);
};

Names opened(Opening& opening, const json& one) {
  try {
    return opening.open(one.at("file"), one.at("missing").get<std::set<std::string>>());
  } catch (const Error& error) {
    const auto name = one.at("file").at("spec").at("name").get<std::string>();
    throw Error(fmt::format("run '{}'{}", name, error.where().empty() ? "" : ": " + error.where()), error.problem(),
                error.help(), error.exit());
  }
}

}  // namespace

int open_plugins(const json& options) {
  const auto specs = json::parse(read_plain_file(options.at("specs").get<std::string>(), 1 << 30));
  Opening opening;
  json columns = json::array();
  for (const json& one : specs) columns.push_back(opened(opening, one));
  std::cout << json{{"columns", columns}}.dump() << std::endl;
  return 0;
}

}  // namespace compeer::app
