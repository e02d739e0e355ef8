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

// The plugins of a training or evaluation run: data set, model, rewards and reweighting, as the run's spec (the file
// with all its settings) chooses them. Every rank opens its own. The policy is the model under training or evaluation.

namespace compeer::train {

/// One entry of the spec's list `rewards`: an open reward plugin, which scores completions.
struct RewardTerm {
  std::string label;      ///< name of the reward in metrics and columns
  double weight;          ///< factor in the weighted sum of rewards
  grpo::Shaping shaping;  ///< bounds and length rule that are applied to the reward before the sum
  plugin::Plugin<Reward> plugin;
  std::vector<std::string> parts;  ///< names of the numbers that it gives each completion; the first is the reward
  double most_unreadable = 1;      ///< maximum fraction, 0 to 1, of a judge's answers that can't be parsed
  bool is_async = false;           ///< Reward::is_async: scored on background threads during sampling
  bool learns = false;             ///< the reward has a learned state, which checkpoints contain
};

/// Adapter of the policy's tokenizer to the interface that plugins use. Keeps a reference to `tokenizer`.
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
  /// Opens everything. `spec_file`: contents of spec.json; must outlive this object. `checkpoint`: folder to load the
  /// model from; unset: the spec's `model.path`. `stop`: flag that is raised when the run shall stop, which plugins
  /// that wait are then asked to do; must outlive this object. `rank`: rank of this process. `answers`: folder that
  /// stores the answers of chat models for later runs; unset: none are stored. Throws Error (exit code 3: wrong spec)
  /// if the model has no tokenizer, (exit code 4: unusable data) if the tokenizer has more tokens than the model, (exit
  /// code 5: faulty plugin) if a plugin can't be opened.
  RunPlugins(const nlohmann::json& spec_file, const std::optional<std::filesystem::path>& checkpoint,
             const comm::StopFlag& stop, int rank, const std::optional<std::filesystem::path>& answers = std::nullopt);
  ~RunPlugins();

  plugin::Plugin<Dataset>& dataset() { return *dataset_; }
  plugin::Plugin<Model>& model() { return *model_; }
  rollout::Policy& policy() { return *policy_; }  ///< the model with its output head, for sampling and training
  /// The fixed prompt format that the data set trains, as a JSON object (FormedDataset::form); null if it has none.
  const nlohmann::json& form() const { return form_; }
  const language::Tokenizer& tokenizer() const { return *tokenizer_; }
  const language::Chat& chat() const { return *chat_; }  ///< the model's chat template
  /// Reader and encoder of images in prompts.
  const inference::VisionInput& vision_input() const { return *vision_input_; }
  int64_t positions() const { return model_->object().shape().positions; }  ///< context length of the model in tokens
  std::vector<RewardTerm>& rewards() { return rewards_; }                   ///< in the spec's order; empty for sft
  /// The plugin that transforms the rewards of a group, such as by redundancy; null for sft.
  plugin::Plugin<Reweighting>* reweighting() { return reweighting_.get(); }
  /// Sets whether plugins that wait for an external service are asked to stop waiting. Thread-safe.
  void give_up_waiting(bool given_up) { given_up_ = given_up; }
  /// Names of the columns with the reweighting plugin's factors per completion, such as "redundancy/s_in".
  const std::vector<std::string>& factors() const { return factors_; }

  /// Returns the number of records of a split. Throws Error (exit code 4) naming the plugin if there are none.
  int64_t records(const std::string& split);
  /// Reads a record of a split, with an index in [0, records(split)).
  Example record(const std::string& split, int64_t index);

 private:
  // Opens the plugin that the setting `plugin` of `table` names, with the other settings of the table. `kind`: folder
  // of such plugins, "rewards".
  template <class T>
  std::unique_ptr<plugin::Plugin<T>> open(const char* kind, const nlohmann::json& table);
  // Opens model, tokenizer and chat template. `table`: the spec's table `model`.
  void open_model(nlohmann::json table, const std::optional<std::filesystem::path>& checkpoint);
  void open_rewards(const nlohmann::json& spec);  // the reweighting, too

  // The order matters: later members use earlier ones.
  std::atomic<bool> given_up_ = false;          // argument of give_up_waiting
  std::optional<plugin::AnswerStore> answers_;  // stored answers of chat models
  plugin::Services services_;                   // what plugins may use of the run: log, tokenizer, embeddings, ...
  std::unique_ptr<plugin::Plugin<Dataset>> dataset_;
  nlohmann::json form_;
  std::unique_ptr<language::Tokenizer> tokenizer_;
  std::optional<PolicyTokenizer> text_tokenizer_;  // `tokenizer_` for plugins
  std::unique_ptr<language::Chat> chat_;
  std::unique_ptr<plugin::Plugin<Model>> model_;
  std::unique_ptr<inference::VisionInput> vision_input_;
  std::unique_ptr<rollout::Policy> policy_;
  std::vector<RewardTerm> rewards_;
  std::unique_ptr<plugin::Plugin<Reweighting>> reweighting_;
  std::vector<std::string> factors_;
};

}  // namespace compeer::train
