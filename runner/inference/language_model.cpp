// A model folder as the LanguageModel of the plugin interface: conversations in the engine's KV cache.
#include "inference/language_model.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

#include "base/error.h"
#include "base/json.h"
#include "comm/phase.h"
#include "inference/services.h"
#include "inference/speculative_questions.h"
#include "kernels/arrays.h"
#include "language/chat.h"
#include "language/text_stream.h"
#include "plugin/open.h"
#include "plugin/search.h"
#include "rollout/engine.h"
#include "rollout/pass.h"
#include "spec/paths.h"

namespace compeer::inference {

namespace {

using nlohmann::json;

struct KeptConversation : Conversation {
  explicit KeptConversation(ConversationState all) : state(std::move(all)) {}
  std::unique_ptr<Conversation> copy() const override { return std::make_unique<KeptConversation>(state); }

  ConversationState state;
};

ConversationState& own(Conversation& conversation) { return dynamic_cast<KeptConversation&>(conversation).state; }

// Returns the tokens whose probability was at least `least`.
std::vector<int32_t> likely(const rollout::Sample& sample, double least) {
  std::vector<int32_t> tokens;
  for (size_t i = 0; i < sample.tokens.size(); ++i) {
    if (std::exp(static_cast<double>(sample.log_probs[i])) >= least) tokens.push_back(sample.tokens[i]);
  }
  return tokens;
}

class FolderModel : public LanguageModel {
 public:
  FolderModel(const std::filesystem::path& folder, const plugin::Services& services)
      : seed_(services.seed),
        tokenizer_(language::Tokenizer::load(folder)),
        chat_(tokenizer_),
        model_(open_plugin<Model>(model_plugin_of(folder), settings_for(folder, services), services)),
        vision_input_(folder, model_) {
    model_.call("head", [&](Model& model) { policy_ = std::make_unique<rollout::Policy>(model); });
    policy_->forward = [this](const Batch& batch, Cache* cache) {
      return model_.call("forward", [&](Model& model) { return model.forward(batch, cache); });
    };
    engine_ = std::make_unique<rollout::Engine>(*policy_);
    format_.max_positions = model_.object().shape().positions;
  }

  std::unique_ptr<Conversation> begin(const std::vector<Turn>& turns) override {
    auto conversation =
        std::make_unique<KeptConversation>(ConversationState{{}, format_.see(turns), engine_->new_sequence()});
    auto& lines = conversation->state.lines;
    for (const Turn& turn : turns) lines.push_back(format_.line(turn));
    if (turns.empty()) return conversation;
    // A chat template may render a turn differently when another one follows, so only the prefix that stays the same is
    // read.
    auto more = lines;
    more.push_back(format_.line({"user", "?"}));
    auto now = format_.prompt(lines, conversation->state);
    const auto later = format_.prompt(more, conversation->state);
    now.erase(std::mismatch(now.begin(), now.end(), later.begin(), later.end()).first, now.end());
    if (!now.empty()) engine_->read({unread(now, conversation->state)});
    return conversation;
  }

  std::vector<Completion> answer(const std::vector<Conversation*>& conversations, const std::vector<std::string>& texts,
                                 const SamplingParams& sampling) override {
    std::vector<rollout::Prompt> prompts;
    for (size_t i = 0; i < conversations.size(); ++i) {
      ConversationState& conversation = own(*conversations[i]);
      if (!texts.at(i).empty()) conversation.lines.push_back(format_.line({"user", texts[i]}));
      prompts.push_back(unread(format_.prompt(conversation.lines, conversation), conversation));
    }
    std::vector<Completion> all;
    auto samples = engine_->generate(prompts, request(sampling));
    for (size_t i = 0; i < conversations.size(); ++i) {
      const auto& sample = samples[i].front();
      own(*conversations[i]).lines.push_back(format_.line({"assistant", tokenizer_.decode(sample.tokens)}));
      all.push_back({tokenizer_.decode(likely(sample, sampling.min_token_prob)),
                     static_cast<int64_t>(sample.tokens.size()), sample.finished});
    }
    return all;
  }

  std::vector<std::vector<ScoredAnswer>> ask(const std::vector<Conversation*>& conversations,
                                             const std::vector<std::vector<Question>>& questions,
                                             const SamplingParams& sampling, bool want_log_probs) override {
    ChoiceTokenCache words(format_);
    std::deque<SpeculativeQuestions> all;
    for (size_t i = 0; i < conversations.size(); ++i)
      all.emplace_back(format_, words, own(*conversations[i]), questions.at(i), sampling, want_log_probs,
                       conversations.size() == 1);
    const auto drawn = request(sampling).sampling;
    for (;;) {
      std::vector<SpeculativeQuestions*> going;
      std::vector<rollout::DraftTokens> guesses;
      for (SpeculativeQuestions& one : all) {
        if (one.over()) continue;
        going.push_back(&one);
        guesses.push_back(one.next(seed_));
      }
      if (going.empty()) break;
      const auto choices = engine_->verify(guesses, drawn);
      for (size_t i = 0; i < going.size(); ++i) going[i]->accept_tokens(choices[i]);
      comm::mark_progress();
    }
    std::vector<std::vector<ScoredAnswer>> answers(conversations.size());
    for (size_t i = 0; i < conversations.size(); ++i) {
      for (const Completion& answer : all[i].answers()) answers[i].push_back({answer, {}});
    }
    if (want_log_probs) this->add_log_probs(all, questions, answers);
    return answers;
  }

  std::vector<std::vector<float>> score(const std::vector<Conversation*>& conversations,
                                        const std::vector<std::string>& texts) override {
    std::vector<rollout::Prompt> answers;
    std::vector<int64_t> lengths;
    std::deque<ConversationState> copies;
    for (size_t i = 0; i < conversations.size(); ++i) {
      auto& conversation = copies.emplace_back(own(*conversations[i]));
      answers.push_back(unread(format_.prompt(conversation.lines, conversation), conversation));
      const auto answer = chat_.answer(texts.at(i));
      lengths.push_back(static_cast<int64_t>(answer.size()));
      auto& tokens = answers.back().tokens;
      tokens.insert(tokens.end(), answer.begin(), answer.end());
    }
    rollout::Request request;
    request.progress = [] { comm::mark_progress(); };
    auto scores = engine_->score(answers, request);
    for (size_t i = 0; i < scores.size(); ++i) scores[i].erase(scores[i].begin(), scores[i].end() - lengths[i]);
    return scores;
  }

 private:
  static json settings_for(const std::filesystem::path& folder, const plugin::Services& services) {
    json settings{{"path", folder.string()}, {"frozen", true}, {"precision", "stored"}};
    if (services.compute != "float32") settings["compute"] = services.compute;
    if (services.device != "cpu") settings.update({{"device", services.device}, {"engine", "libtorch"}});
    return settings;
  }

  // Adds the log-probability of each choice as the whole answer to its question.
  void add_log_probs(std::deque<SpeculativeQuestions>& all, const std::vector<std::vector<Question>>& questions,
                     std::vector<std::vector<ScoredAnswer>>& answers) {
    std::vector<rollout::Prompt> choices;
    std::vector<ScoredAnswer*> whose;
    for (size_t i = 0; i < all.size(); ++i) {
      for (size_t k = 0; k < questions[i].size(); ++k) {
        for (const auto& choice : questions[i][k].choices) {
          choices.push_back({0, chat_.answer(choice), nullptr, &all[i].beginning(k)});
          whose.push_back(&answers[i][k]);
        }
      }
    }
    rollout::Request request;
    request.sampling.concurrent =
        rollout::Pass::most_rows_of(policy_->model.shape().exact);  // most choices have a row or two
    const auto scores = engine_->score(choices, request);
    for (size_t i = 0; i < choices.size(); ++i)
      whose[i]->log_probs.push_back(std::accumulate(scores[i].begin(), scores[i].end(), 0.0));
  }

  // Cuts the sequence back to its common prefix with `all`, and returns the remaining tokens as a prompt.
  rollout::Prompt unread(const std::vector<int32_t>& all, ConversationState& conversation) const {
    format_.check(all);
    const auto& old = conversation.sequence.tokens();
    const auto same = std::mismatch(all.begin(), all.end(), old.begin(), old.end()).first - all.begin();
    const int64_t left = conversation.sequence.truncate(same);
    return {prompt_hash(all),
            {all.begin() + left, all.end()},
            format_.compute_vision(all, left, conversation),
            &conversation.sequence};
  }

  rollout::Request request(const SamplingParams& sampling) const {
    rollout::Request request;
    request.sampling.greedy = sampling.temperature == 0;
    if (!request.sampling.greedy) request.sampling.temperature = sampling.temperature;
    request.sampling.max_new_tokens = sampling.max_tokens;
    request.end_tokens = {tokenizer_.end_token()};
    request.seed = seed_;
    request.step = sampling.sample_index;
    request.progress = [] { comm::mark_progress(); };
    if (!sampling.stop.empty()) {
      request.rules = [this, &sampling](uint32_t) {
        return rollout::CompletionRules{language::StopStrings(tokenizer_, sampling.stop).rule()};
      };
    }
    return request;
  }

  const uint64_t seed_;
  const language::Tokenizer tokenizer_;
  const language::Chat chat_;
  plugin::Plugin<Model> model_;
  const VisionInput vision_input_;
  std::unique_ptr<rollout::Policy> policy_;
  std::unique_ptr<rollout::Engine> engine_;
  PromptFormat format_{tokenizer_, chat_, vision_input_, 0};
};

constexpr int64_t rows_at_once = 4096;  // or one longer text

}  // namespace

std::string model_plugin_of(const std::filesystem::path& folder) {
  return spec::model_type(folder, plugin::Finder().names("models"));
}

std::unique_ptr<LanguageModel> open_language_model(const std::filesystem::path& folder,
                                                   const plugin::Services& services) {
  return std::make_unique<FolderModel>(folder, services);
}

LanguageModel& LanguageModels::in_folder(const std::string& folder) {
  auto& language_model = open_[folder];
  if (!language_model) language_model = open_language_model(folder, services_);
  return *language_model;
}

std::vector<std::vector<float>> embeddings(plugin::Plugin<Model>& model, const language::Tokenizer& tokenizer,
                                           const std::vector<std::string>& texts) {
  const at::NoGradGuard no_grad;
  const ModelShape shape = model.call("shape", [](Model& m) { return m.shape(); });
  std::vector<std::vector<float>> results(texts.size(), std::vector<float>(static_cast<size_t>(shape.hidden), 0.0f));
  std::vector<int32_t> tokens;
  std::vector<size_t> owners;
  Batch batch;
  const auto flush = [&] {
    if (batch.segments.empty()) return;
    batch.tokens = rollout::int_tensor(tokens);
    const auto hidden = model.call("forward", [&](Model& m) { return m.forward(batch, nullptr); });
    for (size_t i = 0; i < owners.size(); ++i) {
      const Segment& segment = batch.segments[i];
      const auto* rows = static_cast<const float*>(hidden.const_data_ptr()) + segment.start * shape.hidden;
      results[owners[i]] = kernels::mean_row(rows, segment.length, shape.hidden);
    }
    tokens.clear(), owners.clear(), batch.segments.clear();
  };
  for (size_t i = 0; i < texts.size(); ++i) {
    auto own = tokenizer.encode(texts[i]);
    own.resize(std::min(own.size(), static_cast<size_t>(shape.positions)));
    if (own.empty()) continue;
    const auto start = static_cast<int64_t>(tokens.size()), length = static_cast<int64_t>(own.size());
    if (start > 0 && start + length > rows_at_once) flush();
    batch.segments.push_back({static_cast<int64_t>(tokens.size()), length, 0, -1, {}});
    tokens.insert(tokens.end(), own.begin(), own.end());
    owners.push_back(i);
  }
  flush();
  return results;
}

}  // namespace compeer::inference
