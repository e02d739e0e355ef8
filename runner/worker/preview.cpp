// Estimates for dry runs: numbers of records, and memory per rank from the settings and a sample of the records.
#include "worker/preview.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <set>

#include "base/disk.h"
#include "base/error.h"
#include "base/files.h"
#include "comm/share.h"
#include "comm/stop_flag.h"
#include "compeer/dataset.h"
#include "inference/known_models.h"
#include "spec/spec.h"
#include "train/batch/step_batch.h"
#include "train/grpo_settings.h"
#include "train/metrics/memory.h"
#include "worker/open_plugins.h"
#include "worker/task.h"

namespace compeer::worker {

namespace {

using nlohmann::json;
using train::PeakMemory;

constexpr double mib = 1024 * 1024;
constexpr double program = 150;                                  // MiB, measured: libraries, buffers
constexpr double optimizer_state = 8, master = 4, gradient = 4;  // bytes per trainable weight
constexpr int64_t looked_at = 32;                                // number of records per split to measure the length of
constexpr double longer = 2;                                     // assumed ratio of longest to mean length
constexpr double tokens_of_turn = 4;                             // tokens that a chat template adds to a turn

// Estimates the number of tokens without a tokenizer: 4 ASCII characters, or 1.5 characters of three or more bytes, per
// token.
double tokens_in(const std::string& text) {
  double narrow = 0, wide = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    narrow += byte < 0x80 ? 1 : byte >= 0xc0 && byte < 0xe0 ? 2 : 0;
    wide += byte >= 0xe0;
  }
  return narrow / 4 + wide / 1.5;
}

// The preview of one run.
class RunPreview : private PluginPreflight {
 public:
  // `planned`: {folder: table "model"} of the earlier runs.
  RunPreview(const json& spec_file, const json& planned)
      : spec_(spec_file.at("spec")), computes_(spec::compute_settings(spec_)), models_(planned) {
    begin(spec_file);
  }

  json made() {
    const auto task = spec_.at("task").get<std::string>();
    made_ = {{"records", json::object()}, {"unknown", json::array()}, {"device", computes_.device != "cpu"}};
    const json& settings = spec_.at(task);
    tried("dataset",
          [&] { read_records(task == "data" ? settings.at("splits") : json::array({settings.at("split")})); });
    tried("memory", [&] {
      for (const char* section : {"rewards", "reweighting", "stages"}) add_folders(spec_.value(section, json()));
      add_memory(task);
    });
    return std::move(made_);
  }

 private:
  template <class F>
  void tried(const std::string& what, F&& f) {
    try {
      f();
    } catch (const Error& error) {
      made_["unknown"].push_back(fmt::format("{} ({} {})", what, error.where(), error.problem()));
    } catch (const std::exception& error) {
      made_["unknown"].push_back(fmt::format("{} ({})", what, error.what()));
    }
  }

  // Counts the records of these splits (empty: all splits), and estimates the mean lengths of prompts and answers.
  void read_records(std::vector<std::string> splits) {
    const json& table = spec_.at("dataset");
    const json limit = table.value("max_prompt_tokens", json());
    if (limit.is_number()) prompt_tokens_ = limit.get<double>();
    if (const json path = table.value("path", json()); path.is_string() && models_.planned(path.get<std::string>()))
      throw Error("its records", "come from an earlier run of the script");
    auto dataset = opened<Dataset>(table);
    const int64_t most = spec_.at("task") == "data" ? spec_.at("data").at("records").get<int64_t>() : 0;
    if (splits.empty()) splits = {"train", "valid", "test"};
    double seen = 0, prompts = 0, answers = 0;
    for (const auto& split : splits) {
      auto size = dataset.call("size", [&](Dataset& d) { return d.size(split); });
      if (most > 0) size = std::min(size, most);
      if (size > 0) made_["records"][split] = size;
      const auto count = std::min(looked_at, size);  // spread over the split, because neighbours share a dialogue
      for (int64_t i = 0; i < count; ++i, ++seen) {
        const auto example = dataset.call("get", [&](Dataset& d) { return d.get(split, i * size / count); });
        for (const auto& turn : example.history) prompts += tokens_in(turn.text) + tokens_of_turn;
        answers += tokens_in(example.answer);
      }
    }
    if (seen == 0) return;
    prompt_tokens_ = std::min(prompt_tokens_.value_or(prompts / seen), prompts / seen);
    answer_tokens_ = answers / seen;
  }

  // Collects the settings of plugins that are folders of models.
  void add_folders(const json& settings) {
    for (const auto& value : settings) {
      if (value.is_structured()) add_folders(value);
      if (!value.is_string()) continue;
      const auto folder = value.get<std::string>();
      const auto holds = [&](const char* file) {
        return std::filesystem::exists(std::filesystem::path(folder) / file);
      };
      if (models_.planned(folder) || holds("config.json") || holds("adapter_config.json")) folders_.insert(folder);
    }
  }

  // Memory of these models, in MiB. Adapters with the same base share it; it may be the policy's.
  double plugin_models(const std::string& policy, bool halved) const {
    std::set<std::string> bases{policy};
    double sum = 0;
    for (const auto& folder : folders_) {
      const auto model = models_.in_folder(folder);
      if (bases.insert(model.base).second)
        sum += (halved || model.size.is_16_bit ? 2 : 4) *
               static_cast<double>(model.size.text() + model.size.vision_parameters) / mib;
      sum += 4 * static_cast<double>(model.adapter()) / mib;
    }
    return sum;
  }

  void add_memory(const std::string& task) {
    if (task == "data") {
      const double models = plugin_models("", halved());
      made_["memory"] = {{"cpu", program + models}, {"device", models}, {"host", program}};
      return;
    }
    std::optional<inference::KnownModel> model;
    tried("model", [&] { model = models_.from_table(spec_.at("model")); });
    if (!model || model->size.shape.layers == 0 || !prompt_tokens_) return;
    made_["memory"] = memory(*model, task == "sft" ? sft_demand() : rollout_demand(task == "grpo"));
  }

  bool halved() const { return computes_.compute == "bfloat16"; }
  int64_t ranks() const { return spec_.at("ranks").get<int64_t>(); }
  int64_t mine(int64_t count) const { return comm::leaves_of_rank(count, static_cast<int>(ranks()), 0).count; }

  PeakMemory sft_demand() const {
    const json& sft = spec_.at("sft");
    const auto micro_batch = sft.at("micro_batch").get<int64_t>(), batch = sft.at("batch").get<int64_t>();
    const auto longest = static_cast<int64_t>(longer * (*prompt_tokens_ + answer_tokens_));
    return {train::gradients_of(mine((batch + micro_batch - 1) / micro_batch), true),
            std::min(micro_batch, batch) * longest, 0};
  }

  PeakMemory rollout_demand(bool learns) const {
    const Settings whole(spec_);
    const auto longest = static_cast<int64_t>(longer * *prompt_tokens_);
    if (learns) {
      const train::GrpoSettings grpo(whole);
      return grpo.estimated_peak(mine(grpo.leaves()), longest);
    }
    const json& task = spec_.at("evaluate");
    const auto batch = std::min(task.at("batch").get<int64_t>(), task.at("prompts").get<int64_t>());
    return {0, 0,
            train::kv_tokens(mine(batch), longest, task.at("group_size").get<int64_t>(),
                             spec::read_table<spec::Sampling>(whole.table("sampling").json()))};
  }

  // Minimum memory of a rank, in MiB: copies of weights are not kept between uses.
  json memory(const inference::KnownModel& model, PeakMemory demand) const {
    demand.kept = false;
    const bool learns = demand.gradients > 0, adapter = model.adapter_rank > 0;
    const double all = static_cast<double>(model.size.text()),
                 tower = 4 * static_cast<double>(model.size.vision_parameters) / mib,
                 trained = !learns ? 0 : static_cast<double>(adapter ? model.adapter() : model.size.text());
    const double split = spec_.value("shard", "none") == "optimizer" ? static_cast<double>(ranks()) : 1;
    const json above = spec_.at("model").value("recompute_above", json());
    const bool recomputed = above.is_number() && static_cast<double>(demand.tokens_per_pass) > above.get<double>();

    auto shape = model.size.shape;
    shape.bfloat16_weights = model.size.is_16_bit;
    const double weights = (learns && !adapter ? 4 : model.size.is_16_bit ? 2 : 4) * all / mib;
    const double now =
        program + weights + tower + plugin_models(model.base, false) + optimizer_state * trained / split / mib;
    const train::TrainedWeights read{static_cast<int64_t>(learns ? trained : all), adapter};
    const auto cpu = train::estimate_memory(shape, read, demand, recomputed, false, now);
    shape.compute = halved() ? at::kBFloat16 : at::kFloat;
    const auto device = train::device_memory(shape, {static_cast<int64_t>(trained), adapter}, demand, recomputed);
    const double there = train::device_weights(shape, model.size.text()) + tower + plugin_models(model.base, halved());
    const double host = program + (master + gradient + optimizer_state / split) * trained / mib;
    return {{"cpu", cpu.all()}, {"device", there + device.added()}, {"host", host}};
  }

  const json& spec_;
  const spec::ComputeSettings computes_;
  const inference::KnownModels models_;
  json made_;
  std::optional<double> prompt_tokens_;
  double answer_tokens_ = 0;
  std::set<std::string> folders_;  // folders of models that plugins use
};

}  // namespace

int preview(const json& options) {
  const auto runs = json::parse(read_plain_file(options.at("input").get<std::string>(), 1 << 30));
  json planned = json::object(), all = json::array();
  std::map<std::string, json> known;  // by spec without seed: runs that differ only in the seed share a preview
  for (const json& run : runs) {
    json spec = run.at("file").at("spec");
    const json model = spec.value("model", json());
    for (const char* key : {"name", "seed", "inputs"}) spec.erase(key);
    auto& made = known[spec.dump()];
    if (made.is_null()) made = RunPreview(run.at("file"), planned).made();
    all.push_back(made);
    planned[run.at("folder").get<std::string>()] = model;
  }
  std::cout << json{{"previews", all}}.dump() << std::endl;
  return 0;
}

int estimate_memory(const nlohmann::json& options) {
  const auto spec_file = nlohmann::json::parse(read_plain_file(options.at("input").get<std::string>(), 64 << 20));
  const Scratch scratch;
  comm::StopFlag stop;
  std::cout << nlohmann::json{{"mib", estimate_memory(spec_file, scratch.folder(), stop)}}.dump() << std::endl;
  return 0;
}

}  // namespace compeer::worker
