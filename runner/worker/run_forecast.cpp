#include "worker/run_forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/scratch.h"
#include "comm/share.h"
#include "compeer/reward.h"
#include "compeer/stage.h"
#include "inference/known_models.h"
#include "spec/computes.h"
#include "train/batch/rollouts.h"
#include "train/grpo_settings.h"
#include "train/metrics/device_memory.h"
#include "train/metrics/work.h"
#include "worker/opener.h"
#include "worker/records_ahead.h"

namespace compeer::worker {

namespace {

using nlohmann::json;
using train::PeakMemory;
using train::RunWork;

constexpr double mib = 1024 * 1024;
constexpr double program = 150;       // MiB, measured: libraries, buffers
constexpr double instructions = 300;  // tokens of a prompt's own words: ours have 20 to 500
constexpr double side_by_side = 16;   // conversations of a chat model here (plugins/chat/local)
constexpr double optimizer_state = 8, master = 4, gradient = 4;  // bytes for each weight that learns

/// One run's forecast.
class RunForecast : private Opener {
 public:
  // `before`: records that another run will make, or null.
  RunForecast(const json& spec_file, json before, const json& models)
      : spec_(spec_file.at("spec")), computes_(spec::computes(spec_)), models_(models), before_(std::move(before)) {
    begin(spec_file);
    write_file(stand_in_.folder() / "model.safetensors", "");
  }

  json tell() {
    const auto task = spec_.at("task").get<std::string>();
    told_ = {{"requests", json::array()},
             {"unknown", json::array()},
             {"disk", 0.0},
             {"writing", 0.0},
             {"on_device", computes_.device != "cpu"}};
    task == "data" ? make() : compute(task);
    for (const auto& [name, request] : requests_) told_["requests"].push_back(request);
    told_["unset"] = unset_;
    told_["operations"] = work_.operations;
    told_["streamed"] = work_.streamed;
    return std::move(told_);
  }

 private:
  // Records of these splits, or null if nothing is known of them.
  std::optional<Forecast> records(std::vector<std::string> splits, int64_t most) {
    if (!before_.is_null()) {
      auto known = from_json(before_);
      if (spec_.at("dataset").value("rewritten", "") == "left_out") {
        for (auto& [split, count] : known.records) count *= 1 - known.rewritten;
        known.rewritten = 0;
      }
      return only(std::move(known), splits, most);
    }
    auto found = tried("dataset", [&]() -> std::optional<Forecast> {
      auto dataset = opened<Dataset>(spec_.at("dataset"));
      if (splits.empty()) splits = {"train", "valid", "test"};
      return look_at(dataset, splits, most);
    });
    return found && found->all() > 0 ? found : std::nullopt;
  }

  // What can't be made or told yet is no error here.
  template <class F>
  auto tried(const std::string& what, F&& f) -> decltype(f()) {
    try {
      return f();
    } catch (const Error& error) {
      told_["unknown"].push_back(fmt::format("{} ({} {})", what, error.where(), error.problem()));
    } catch (const std::exception& error) {
      told_["unknown"].push_back(fmt::format("{} ({})", what, error.what()));
    }
    return {};
  }

  void make() {
    const auto& data = spec_.at("data");
    auto going = records(data.at("splits").get<std::vector<std::string>>(), data.at("records").get<int64_t>());
    if (!going) return;
    for (const json& stage : spec_.at("stages")) {
      const auto label = stage.at("label").is_null() ? stage.at("plugin") : stage.at("label");
      json settings = stage;
      settings.erase("label");
      const auto asked = tried(label.get<std::string>(), [&] {
        return opened<Stage>(stood_in(settings)).call("forecast", [&](Stage& s) { return s.forecast(*going); });
      });
      for (const auto& one : asked) add(one, settings);
    }
    told_["records"] = to_json(*going);
    told_["memory"] = {
        {"cpu", program + asked_models("", halved())}, {"device", asked_models("", halved())}, {"host", program}};
  }

  // MiB of the models that plugins ask; adapters share their base, which may be the policy's.
  double asked_models(const std::string& policy, bool halved) const {
    std::set<std::string> bases{policy};
    double sum = 0;
    for (const auto& folder : folders_) {
      const auto model = models_.in(folder);
      if (bases.insert(model.base).second)
        sum += (halved || model.size.half ? 2 : 4) * static_cast<double>(model.size.text() + model.size.tower) / mib;
      sum += 4 * static_cast<double>(model.adapter()) / mib;
    }
    return sum;
  }

  // Settings without the files that another run will make, and with a folder that is there in place of its models:
  // plugins look whether a model has weights.
  json stood_in(json settings) const {
    for (auto& value : settings) {
      if (value.is_structured()) value = stood_in(value);
      if (!value.is_string()) continue;
      const auto* table = models_.planned(value.get<std::string>());
      if (table) value = table->is_null() ? json() : json(stand_in_.folder().string());
    }
    return settings;
  }

  // What a plugin asks, of a model here or elsewhere.
  void add(const Asked& asked, const json& settings) {
    std::string place = "/" + asked.who;
    std::replace(place.begin(), place.end(), '.', '/');
    const json who = settings.value(json::json_pointer(place), json());
    if (who.is_string()) return add_local(asked, who.get<std::string>());
    if (!who.is_object()) return;
    if (who.value("plugin", "") == "local") return add_local(asked, who.at("path").get<std::string>());
    if (!who.contains("price_in") || asked.requests == 0) return;
    const auto key = who.value("key_env", "");
    if (!key.empty() && !std::getenv(key.c_str())) unset_.insert(key);
    const auto name = who.value("name", who.at("plugin").get<std::string>());
    auto& sum = requests_[name];
    if (sum.is_null()) sum = {{"model", name}, {"requests", 0.0}, {"read", 0.0}, {"written", 0.0}, {"cost", 0.0}};
    const double read = asked.requests * (asked.read + instructions), written = asked.requests * asked.written;
    const double cost = (read * who.at("price_in").get<double>() + written * who.at("price_out").get<double>()) / 1e6;
    for (const auto& [key, more] : std::initializer_list<std::pair<const char*, double>>{
             {"requests", asked.requests}, {"read", read}, {"written", written}, {"cost", cost}})
      sum[key] = sum[key].get<double>() + more;
  }

  void add_local(const Asked& asked, const std::string& folder) {
    tried(folder, [&] {
      const auto model = models_.in(folder);
      folders_.insert(folder);
      const double bytes = model.size.half || halved() ? 2 : 4;
      work_ +=
          train::work_of(model.size, asked.requests, 1, asked.read + instructions, asked.written, side_by_side, bytes);
      return true;
    });
  }

  void compute(const std::string& task) {
    const auto model =
        tried("model", [&]() -> std::optional<inference::KnownModel> { return models_.of(spec_.at("model")); });
    auto known = records({spec_.at(task).at("split").get<std::string>()}, 0);
    if (!model || model->size.shape.layers == 0 || !known) return;
    if (const json room = spec_.at("dataset").value("max_prompt_tokens", json()); room.is_number())
      known->tokens = std::min(known->tokens, room.get<double>());
    const auto demand = task == "sft" ? teach(*model, *known) : reply(*model, *known, task == "grpo");
    told_["memory"] = memory(*model, demand);
    if (task == "evaluate") return;
    const double learns = static_cast<double>(model->adapter_rank > 0 ? model->adapter() : model->size.text());
    told_["writing"] = (optimizer_state + master) * learns;
    told_["disk"] = spec_.at("checkpoint").at("keep").get<double>() * (optimizer_state + master) * learns;
  }

  bool halved() const { return computes_.compute == "bfloat16"; }

  bool recomputed(double tokens) const {
    const json above = spec_.at("model").value("recompute_above", json());
    return above.is_number() && tokens > above.get<double>();
  }

  int64_t mine(int64_t count) const { return comm::share(count, static_cast<int>(ranks()), 0).count; }
  int64_t ranks() const { return spec_.at("ranks").get<int64_t>(); }

  PeakMemory teach(const inference::KnownModel& model, const Forecast& known) {
    const json& sft = spec_.at("sft");
    const double length = known.tokens + known.answer, texts = sft.at("batch").get<double>();
    const auto together = sft.at("together").get<int64_t>(), batch = sft.at("batch").get<int64_t>();
    const auto longest = static_cast<int64_t>(longer * length);
    work_.operations =
        sft.at("steps").get<double>() *
        train::operations_of(model.size, texts, length,
                             {model.adapter_rank > 0, recomputed(length * static_cast<double>(together))});
    return {train::gradients_of(mine((batch + together - 1) / together), true), std::min(together, batch) * longest, 0};
  }

  // Generates and judges; learns from it or not.
  PeakMemory reply(const inference::KnownModel& model, const Forecast& known, bool learns) {
    const Settings whole(spec_);
    const auto sampling = train::sampling_from(whole.table("sampling"));
    const json& task = spec_.at(learns ? "grpo" : "evaluate");
    const auto group = task.at("group_size").get<double>(),
               longest_answer = static_cast<double>(sampling.max_new_tokens);
    const double prompts =
        learns ? task.at("batch").get<double>() * task.at("steps").get<double>() : task.at("prompts").get<double>();
    const double half = halved() ? 2 : 4;
    const double at_once =
        std::min(static_cast<double>(sampling.concurrent), prompts * group) * static_cast<double>(ranks());
    work_ = train::work_of(model.size, prompts * group, group, known.tokens, longest_answer, at_once, half);
    Forecast completions = known;
    completions.records = {{"", prompts * group}};
    completions.answer = longest_answer;
    for (const json& reward : spec_.value("rewards", json::array())) {
      const auto asked = tried(reward.at("plugin").get<std::string>(), [&] {
        return opened<Reward>(stood_in(reward)).call("forecast", [&](Reward& r) { return r.forecast(completions); });
      });
      for (const auto& one : asked) add(one, reward);
    }
    const auto longest = static_cast<int64_t>(longer * known.tokens);
    if (!learns) {
      const auto batch = std::min(task.at("batch").get<int64_t>(), static_cast<int64_t>(prompts));
      return {0, 0, train::positions_of(mine(batch), longest, static_cast<int64_t>(group), sampling)};
    }
    const train::GrpoSettings grpo(whole);
    const double text = known.tokens / group + longest_answer;  // a group's prompt is passed through once
    const auto demand = grpo.demand(mine(grpo.leaves()), longest);
    work_.operations +=
        train::operations_of(model.size, prompts * group, text,
                             {model.adapter_rank > 0, recomputed(static_cast<double>(demand.learned))}) *
        static_cast<double>(grpo.updates);
    if (grpo.reference) work_.operations += train::operations_of(model.size, prompts * group, text);
    return demand;
  }

  // The least of a rank: on a CPU, and on a device with its host.
  json memory(const inference::KnownModel& model, PeakMemory demand) const {
    demand.kept = false;
    const bool learns = demand.gradients > 0, adapter = model.adapter_rank > 0;
    const double all = static_cast<double>(model.size.text()), tower = 4 * static_cast<double>(model.size.tower) / mib,
                 trained = !learns ? 0 : static_cast<double>(adapter ? model.adapter() : model.size.text());
    const double split = spec_.value("shard", "none") == "optimizer" ? static_cast<double>(ranks()) : 1;
    const bool again = recomputed(static_cast<double>(demand.learned));

    auto shape = model.size.shape;
    shape.rounded = model.size.half;
    const double weights = (learns && !adapter ? 4 : model.size.half ? 2 : 4) * all / mib;
    const double now =
        program + weights + tower + asked_models(model.base, false) + optimizer_state * trained / split / mib;
    const train::Learner read{static_cast<int64_t>(learns ? trained : all), adapter};
    const auto cpu = train::estimate_memory(shape, read, demand, again, false, now);
    shape.compute = halved() ? at::kBFloat16 : at::kFloat;
    const auto device = train::device_memory(shape, {static_cast<int64_t>(trained), adapter}, demand, again);
    const double there = train::device_weights(shape, model.size.text()) + tower + asked_models(model.base, halved());
    const double host = program + (master + gradient + optimizer_state / split) * trained / mib;
    return {{"cpu", cpu.all()}, {"device", there + device.more()}, {"host", host}};
  }

  static constexpr double longer = 2;  // the longest record than the usual one

  const json& spec_;
  const spec::Computes computes_;
  const inference::KnownModels models_;
  const Scratch stand_in_;
  json before_, told_;
  RunWork work_;
  std::map<std::string, json> requests_;
  std::set<std::string> folders_;  // of models that plugins ask
  std::set<std::string> unset_;    // variables with keys
};

}  // namespace

json run_forecast(const json& spec_file, const json& before, const json& models) {
  return RunForecast(spec_file, before, models).tell();
}

}  // namespace compeer::worker
