#pragma once
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "compeer/language_model.h"
#include "inference/vision_input.h"
#include "language/chat.h"
#include "rollout/engine.h"

namespace compeer::inference {

/// A conversation's messages and pictures, and its tokens in the engine's KV cache.
struct ConversationState {
  language::TokenizedMessages lines;
  std::shared_ptr<const std::vector<Picture>> pictures;  ///< of all messages, in order
  rollout::CachedSequence sequence;
};

/// A choice as tokens.
struct EncodedChoice {
  std::vector<int32_t> ids;  ///< the answer as the model would generate it, including the end token
  std::shared_ptr<const language::TokenizedMessage> line;  ///< the assistant message that it becomes
};

/// Converts conversations to prompts of one model. All references must outlive it.
struct PromptFormat {
  const language::Tokenizer& tokenizer;
  const language::Chat& chat;
  const VisionInput& vision_input;
  int64_t max_positions;  ///< the model's number of positions

  /// Reads the pictures of turns. Throws Error (exit 4) if it can't, or the model takes no pictures.
  std::shared_ptr<const std::vector<Picture>> see(const std::vector<Turn>& turns) const;
  /// Tokenizes a turn.
  std::shared_ptr<const language::TokenizedMessage> line(const Turn& turn) const;
  /// Returns the tokens of `lines`, which have the conversation's pictures, up to where the answer begins.
  std::vector<int32_t> prompt(const language::TokenizedMessages& lines, const ConversationState& conversation) const;
  /// Computes the vision features of `tokens` from position `from` on, which continue `conversation.sequence`; null if
  /// there are no pictures among them.
  std::shared_ptr<const VisionFeatures> compute_vision(std::span<const int32_t> tokens, int64_t from,
                                                       const ConversationState& conversation) const;
  /// True if at least one position is left for an answer.
  bool fits(const std::vector<int32_t>& prompt) const { return static_cast<int64_t>(prompt.size()) < max_positions; }
  /// Throws Error (exit 4) unless `fits(prompt)`.
  void check(const std::vector<int32_t>& prompt) const;
};

/// Returns a hash of the prompt as the key of its random numbers (`TokenDraw::prompt`), so that they depend on the
/// conversation so far.
uint32_t prompt_hash(const std::vector<int32_t>& prompt);

/// Caches the tokens of choices: many questions have the same few.
class ChoiceTokenCache {
 public:
  explicit ChoiceTokenCache(const PromptFormat& format) : format_(format) {}
  /// Returns the choice's tokens. Valid for the lifetime of this object.
  const EncodedChoice& of(const std::string& choice);
  /// Returns `text` as a tokenized assistant message.
  std::shared_ptr<const language::TokenizedMessage> said(const std::string& text) const;

 private:
  const PromptFormat& format_;
  std::map<std::string, EncodedChoice> words_;  // by choice
};

/// Asks several questions with choices in one conversation, one after the other, by speculative decoding over whole
/// answers: drafts the expected answer and, if it is likely enough, the next question after it, so that one forward
/// pass may verify several answers. After a draft token that turns out wrong, the next draft begins there. The answers
/// are those of asking one by one.
///
/// Usage: while not `over`, pass `next` to rollout::Engine::verify and the result to `accept_tokens`. All references
/// must outlive the object.
class SpeculativeQuestions {
 public:
  /// `want_log_probs`: keep the sequences for `beginning`. `single_conversation`: no other conversation shares the
  /// passes, so that drafting an uncertain answer to the last question costs nothing.
  SpeculativeQuestions(const PromptFormat& format, ChoiceTokenCache& words, ConversationState& conversation,
                       const std::vector<Question>& questions, const SamplingParams& sampling, bool want_log_probs,
                       bool single_conversation);

  /// True if all questions are answered.
  bool over() const { return answered_ == questions_.size(); }
  /// Returns the next draft; `seed` is that of its random numbers. Throws Error (exit 4) if the next question does not
  /// fit into the model's positions.
  rollout::DraftTokens next(uint64_t seed);
  /// Accepts the engine's tokens for the last draft, up to the first one that differs from it. Appends questions and
  /// answers to the conversation.
  void accept_tokens(const std::vector<rollout::NextToken>& choices);

  /// Returns the answers so far, in the order of the questions.
  const std::vector<Completion>& answers() const { return answers_; }
  /// Returns the sequence up to where the answer to a question begins. Only with `want_log_probs`.
  rollout::CachedSequence& beginning(size_t question) { return beginnings_.at(question); }

 private:
  // A position of the draft whose token is sampled.
  struct ExpectedToken {
    int64_t at;       // position in the conversation
    uint32_t prompt;  // `prompt_hash` of the question's prompt
    uint32_t token;   // number of tokens of the answer before it
  };

  // Sets `drafted_` and `expected_`: the open answer and, while answers are likely, further questions with theirs.
  void draft();
  // True if an answer that has no token yet is drafted.
  bool drafts_answer(size_t question) const;
  // Appends a draft of the question's answer to `drafted_`, the first likely choice that begins with the sampled tokens
  // `begun`, and its positions to `expected_`. Returns the choice's tokens; empty if no choice is drafted.
  std::vector<int32_t> draft_answer(size_t question, const std::vector<int32_t>& begun);
  // Returns the maximum number of tokens of an answer.
  int64_t limit(size_t question) const;
  // Appends a sampled token to the open answer, which may end with it.
  void accept(int32_t token);

  const PromptFormat& format_;
  ChoiceTokenCache& words_;
  ConversationState& conversation_;
  const std::vector<Question>& questions_;
  language::TokenizedMessages lines_;  // the questions as user messages
  const SamplingParams& sampling_;
  const bool want_log_probs_, single_conversation_;
  size_t answered_ = 0;                        // questions answered so far
  std::vector<int32_t> answer_;                // sampled tokens of the answer to the next question
  std::vector<std::vector<int32_t>> prompts_;  // per question; later ones follow drafted answers; empty: not computed
  std::vector<int32_t> drafted_;               // the conversation with the draft
  std::vector<ExpectedToken> expected_;        // positions of the draft to sample, ascending
  std::vector<Completion> answers_;            // results so far
  std::vector<rollout::CachedSequence> beginnings_;  // per question that was asked; see `beginning`
};

}  // namespace compeer::inference
