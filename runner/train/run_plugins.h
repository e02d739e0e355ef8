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
  std::string label;      ///< name of the reward in columns: the setting `label`, otherwise the plugin's name
  double weight;          ///< factor in the weighted sum of rewards; 0: only recorded
  grpo::Shaping shaping;  ///< settings that change the reward before the sum, such as floor and ceiling
  plugin::Plugin<Reward> plugin;
  std::vector<std::string> parts;  ///< columns of the plugin's scores; the first is the reward
  double most_unreadable = 1;      ///< maximum fraction of unreadable answers, for parts "asked" and "unreadable"
  bool is_async = false;           ///< Reward::is_async
  bool learns = false;             ///< true if Reward::state is not null
};

/// The policy's tokenizer with the interface that plugins use. Keeps a reference to it.
class PolicyTokenizer : public TextTokenizer {
 public:
  explicit PolicyTokenizer(const language::Tokenizer& tokenizer) : tokenizer_(tokenizer) {}
  std::vector<int32_t> encode(const std::string& text) const override;
  std::string decode(std::span<const int32_t> tokens) const override;

 private:
  const language::Tokenizer& tokenizer_;
};

/// The plugins that a run's spec names, opened with their settings, and the policy's tokenizer and chat template.
class RunPlugins {
 public:
  /// Opens everything. `spec_file`: contents of spec.json; must outlive this object, like `stop`. `checkpoint`: folder
  /// from which the model is loaded instead of the spec's `model.path`. `answers`: folder that stores the answers of
  /// chat models; if unset, none are stored. Throws Error (exit 3) if the model has no tokenizer, (exit 4) if the
  /// tokenizer has more tokens than the model, (exit 5) if a plugin can't be opened.
  RunPlugins(const nlohmann::json& spec_file, const std::optional<std::filesystem::path>& checkpoint,
             const comm::StopFlag& stop, int rank, const std::optional<std::filesystem::path>& answers = std::nullopt);
  ~RunPlugins();

  // Valid as long as this object.
  plugin::Plugin<Dataset>& dataset() { return *dataset_; }
  plugin::Plugin<Model>& model() { return *model_; }
  rollout::Policy& policy() { return *policy_; }
  const nlohmann::json& form() const { return form_; }  ///< FormedDataset::form; null if the data set has none
  const language::Tokenizer& tokenizer() const { return *tokenizer_; }
  const language::Chat& chat() const { return *chat_; }
  const inference::VisionInput& vision_input() const { return *vision_input_; }
  int64_t positions() const { return model_->object().shape().positions; }  ///< context length of the model in tokens
  std::vector<RewardTerm>& rewards() { return rewards_; }                   ///< empty for sft
  /// Null for sft.
  plugin::Plugin<Reweighting>* reweighting() { return reweighting_.get(); }
  /// While true, plugins that wait for an external service are asked to stop. Thread-safe.
  void give_up_waiting(bool given_up) { given_up_ = given_up; }
  /// Columns of the reweighting plugin's factors, such as "redundancy/s_in".
  const std::vector<std::string>& factors() const { return factors_; }

  /// Number of records of a split. Throws Error (exit 4) naming the plugin if there are none.
  int64_t records(const std::string& split);
  /// Returns a record of a split; `index` is in [0, records(split)).
  Example record(const std::string& split, int64_t index);

 private:
  // Opens the plugin that a table of the spec names.
  template <class T>
  std::unique_ptr<plugin::Plugin<T>> open(const char* kind, const nlohmann::json& table);
  void open_model(nlohmann::json table, const std::optional<std::filesystem::path>& checkpoint);
  // Opens the rewards and the reweighting.
  void open_rewards(const nlohmann::json& spec);

  std::atomic<bool> given_up_ = false;          // see give_up_waiting
  std::optional<plugin::AnswerStore> answers_;  // stored answers of chat models
  plugin::Services services_;                   // what the host provides to plugins
  std::unique_ptr<plugin::Plugin<Dataset>> dataset_;
  nlohmann::json form_;
  std::unique_ptr<language::Tokenizer> tokenizer_;
  std::optional<PolicyTokenizer> text_tokenizer_;  // for plugins
  std::unique_ptr<language::Chat> chat_;
  std::unique_ptr<plugin::Plugin<Model>> model_;
  std::unique_ptr<inference::VisionInput> vision_input_;
  std::unique_ptr<rollout::Policy> policy_;
  std::vector<RewardTerm> rewards_;
  std::unique_ptr<plugin::Plugin<Reweighting>> reweighting_;
  std::vector<std::string> factors_;
};

}  // namespace compeer::train
