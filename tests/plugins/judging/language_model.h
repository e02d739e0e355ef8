#pragma once
#include <functional>
#include <stdexcept>

#include "compeer/language_model.h"

namespace compeer::judging {

/// A language model as judge, without weights: its answers are a function of the conversation and the question. Records
/// its questions.
class Scripted : public LanguageModel {
 public:
  /// Returns the answer to a question. `past`: the conversation as text; `draw`: index of the sample.
  using Answer = std::function<std::string(const std::string& past, const std::string& question, uint32_t draw)>;
  explicit Scripted(Answer answer) : answer_(std::move(answer)) {}

  std::unique_ptr<Conversation> begin(const std::vector<Turn>& turns) override {
    ++begun;
    auto conversation = std::make_unique<Held>();
    for (const auto& turn : turns) conversation->past += turn.role + ": " + turn.text + "\n";
    return conversation;
  }

  std::vector<Completion> answer(const std::vector<Conversation*>& conversations, const std::vector<std::string>& texts,
                                 const SamplingParams& sampling) override {
    std::vector<Completion> all;
    for (size_t i = 0; i < conversations.size(); ++i) {
      auto& conversation = dynamic_cast<Held&>(*conversations[i]);
      asked.push_back(conversation.past + "? " + texts[i]);
      sure.push_back(sampling.min_token_prob);
      all.push_back({answer_(conversation.past, texts[i], sampling.sample_index), 1, true});
      conversation.past += "? " + texts[i] + "\n= " + all.back().text + "\n";
    }
    return all;
  }

  std::vector<std::vector<ScoredAnswer>> ask(const std::vector<Conversation*>& conversations,
                                             const std::vector<std::vector<Question>>& questions,
                                             const SamplingParams& sampling, bool weigh) override {
    if (weigh && !weights) throw std::logic_error("nobody asked for likelihoods");
    std::vector<std::vector<ScoredAnswer>> all(conversations.size());
    for (size_t i = 0; i < conversations.size(); ++i) {
      for (const Question& question : questions[i]) {
        const auto log_probs = weigh ? weights(question.text, question.choices) : std::vector<double>();
        all[i].push_back({answer({conversations[i]}, {question.text}, sampling)[0], log_probs});
        guessed.push_back(question.choices.at(question.guess) + (question.speculate ? "!" : "?"));
      }
    }
    return all;
  }

  std::vector<std::vector<float>> score(const std::vector<Conversation*>& conversations,
                                        const std::vector<std::string>& texts) override {
    std::vector<std::vector<float>> all;
    for (size_t i = 0; i < conversations.size(); ++i) {
      scored.push_back(dynamic_cast<Held&>(*conversations[i]).past + "= " + texts[i]);
      all.push_back({-0.5F, likely ? likely(texts[i]) : -1.0F, -0.25F});
    }
    return all;
  }

  std::function<float(const std::string& text)> likely;  // returns the log-probability of the least likely token
  // Returns the log-probabilities of the choices of a question; to be set if they are requested.
  std::function<std::vector<double>(const std::string& text, const std::vector<std::string>& choices)> weights;
  int begun = 0;                   // number of conversations
  std::vector<std::string> asked;  // each question after its conversation: "... ? question"
  // The guessed answer of each question, then "!" if `speculate` is set, otherwise "?".
  std::vector<std::string> guessed;
  std::vector<std::string> scored;  // each text scored by `score`, after its conversation
  std::vector<double> sure;         // min_token_prob of each answered question

 private:
  // A conversation: `past` is its text so far.
  struct Held : Conversation {
    std::unique_ptr<Conversation> copy() const override { return std::make_unique<Held>(*this); }
    std::string past;
  };
  Answer answer_;
};

}  // namespace compeer::judging
