#pragma once
#include <atomic>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "comm/stop_flag.h"
#include "compeer/dataset.h"
#include "grpo/shaping.h"
#include "inference/vision_input.h"
#include "language/chat.h"
#include "plugin/calls.h"
#include "plugin/host.h"
#include "rollout/policy.h"

namespace compeer::train {

/// One entry of the spec's list `rewards`.
struct RewardTerm {
  std::string label;
  double weight;
  grpo::Shaping shaping;
  plugin::Plugin<Reward> plugin;
  std::vector<std::string> parts;
  double most_unreadable = 1;  ///< the setting of that name, for parts "asked" and "unreadable"
  bool waits = false;          ///< Reward::waits
  bool learns = false;         ///< it has a state
};

/// The policy's tokenizer as plugins see it.
class PolicyTokenizer : public TextTokenizer {
 public:
  explicit PolicyTokenizer(const language::Tokenizer& tokenizer) : tokenizer_(tokenizer) {}
  std::vector<int32_t> encode(const std::string& text) const override;
  std::string decode(std::span<const int32_t> tokens) const override;

 private:
  const language::Tokenizer& tokenizer_;
};

/// Everyone who plays in a run: the plugins that the spec names, opened and given their settings.
class RunPlugins {
 public:
  /// `spec_file` is spec.json, and must outlive it, as `stop`. The model comes from `checkpoint`, if given, instead of
  /// where the spec says. `answers`: the folder of what chat models answer; without one nothing is stored.
  RunPlugins(const nlohmann::json& spec_file, const std::optional<std::filesystem::path>& checkpoint,
             const comm::StopFlag& stop, int rank, const std::optional<std::filesystem::path>& answers = std::nullopt);
  ~RunPlugins();

  plugin::Plugin<Dataset>& dataset() { return *dataset_; }
  plugin::Plugin<Model>& model() { return *model_; }
  rollout::Policy& policy() { return *policy_; }
  const nlohmann::json& form() const { return form_; }  ///< FormedDataset::form; null: none
  const language::Tokenizer& tokenizer() const { return *tokenizer_; }
  const language::Chat& chat() const { return *chat_; }
  const inference::VisionInput& vision_input() const { return *vision_input_; }
  int64_t positions() const { return model_->object().shape().positions; }  ///< tokens that the model has room for
  std::vector<RewardTerm>& rewards() { return rewards_; }
  plugin::Plugin<Reweighting>* reweighting() { return reweighting_.get(); }
  /// While true, plugins that wait for somebody are told to stop.
  void give_up_waiting(bool given_up) { given_up_ = given_up; }
  /// "redundancy/s_in", ...: the reweighting's factors as columns.
  const std::vector<std::string>& factors() const { return factors_; }

  /// Records of a split; throws Error (exit 4) naming the plugin if it has none.
  int64_t records(const std::string& split);
  Example record(const std::string& split, int64_t index);

 private:
  template <class T>
  std::unique_ptr<plugin::Plugin<T>> open(const char* kind, const nlohmann::json& table);
  void open_model(nlohmann::json table, const std::optional<std::filesystem::path>& checkpoint);
  void open_rewards(const nlohmann::json& spec);

  std::atomic<bool> given_up_ = false;
  std::optional<plugin::AnswerStore> answers_;
  plugin::Services services_;
  std::unique_ptr<plugin::Plugin<Dataset>> dataset_;
  nlohmann::json form_;
  std::unique_ptr<language::Tokenizer> tokenizer_;
  std::optional<PolicyTokenizer> text_tokenizer_;
  std::unique_ptr<language::Chat> chat_;
  std::unique_ptr<plugin::Plugin<Model>> model_;
  std::unique_ptr<inference::VisionInput> vision_input_;
  std::unique_ptr<rollout::Policy> policy_;
  std::vector<RewardTerm> rewards_;
  std::unique_ptr<plugin::Plugin<Reweighting>> reweighting_;
  std::vector<std::string> factors_;
};

}  // namespace compeer::train
