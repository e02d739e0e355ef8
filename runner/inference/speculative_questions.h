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

/// What was said and shown in a conversation, and its tokens in the engine's pages.
struct ConversationState {
  language::TokenizedMessages lines;
  std::shared_ptr<const std::vector<Picture>> pictures;
  rollout::CachedSequence sequence;
};

/// A choice as an answer that is given, and as it stands in the conversation after that.
struct EncodedChoice {
  std::vector<int32_t> ids;
  std::shared_ptr<const language::TokenizedMessage> line;
};

/// How a language model reads and writes.
struct PromptFormat {
  const language::Tokenizer& tokenizer;
  const language::Chat& chat;
  const VisionInput& vision_input;
  int64_t room;  ///< positions

  /// The pictures that turns show.
  std::shared_ptr<const std::vector<Picture>> see(const std::vector<Turn>& turns) const;
  std::shared_ptr<const language::TokenizedMessage> line(const Turn& turn) const;
  /// Lines of this conversation up to where the answer begins.
  std::vector<int32_t> prompt(const language::TokenizedMessages& lines, const ConversationState& conversation) const;
  /// What is seen among `tokens` from `from` on, which follows in the conversation; null: nothing.
  std::shared_ptr<const VisionFeatures> look(std::span<const int32_t> tokens, int64_t from,
                                             const ConversationState& conversation) const;
  /// Is there room for an answer?
  bool fits(const std::vector<int32_t>& prompt) const { return static_cast<int64_t>(prompt.size()) < room; }
  /// Throws Error (exit 4) if not.
  void check(const std::vector<int32_t>& prompt) const;
};

/// The number of a prompt, for random numbers: they depend on all that was said.
uint32_t number_of(const std::vector<int32_t>& prompt);

/// The choices of questions: few, for many questions.
class ChoiceTokens {
 public:
  explicit ChoiceTokens(const PromptFormat& format) : format_(format) {}
  const EncodedChoice& of(const std::string& choice);
  /// An answer as it stands in the conversation after it was given.
  std::shared_ptr<const language::TokenizedMessage> said(const std::string& text) const;

 private:
  const PromptFormat& format_;
  std::map<std::string, EncodedChoice> words_;
};

/// The questions of one conversation on their way. A plan has what is sure to be said and what is guessed to follow: an
/// answer that is sure or has begun, and behind it the next question. The engine reads it and tells what would be said;
/// what was guessed right stands, and the next plan begins where it was not. So the answers are those of asking one by
/// one.
class SpeculativeQuestions {
 public:
  /// `weigh`: beginnings are kept. `alone`: no other conversations share the passes, so one is worth a guess.
  SpeculativeQuestions(const PromptFormat& format, ChoiceTokens& words, ConversationState& conversation,
                       const std::vector<Question>& questions, const SamplingParams& sampling, bool weigh, bool alone);

  bool over() const { return asked_ == questions_.size(); }
  /// What the engine is to read next, with random numbers of this seed.
  rollout::Guess next(uint64_t seed);
  /// What it chose.
  void take(const std::vector<rollout::NextToken>& choices);

  const std::vector<Completion>& said() const { return said_; }
  /// The conversation up to where the answer to a question begins.
  rollout::CachedSequence& beginning(size_t question) { return beginnings_.at(question); }

 private:
  // A place of the plan whose token is asked for.
  struct ExpectedToken {
    int64_t at;
    uint32_t prompt;  // the number of the question's
    uint32_t token;   // how many of the answer stand before it
  };

  void plan();
  bool guesses(size_t question) const;
  std::vector<int32_t> expect(size_t question, const std::vector<int32_t>& begun);
  int64_t limit(size_t question) const;
  void accept(int32_t token);

  const PromptFormat& format_;
  ChoiceTokens& words_;
  ConversationState& conversation_;
  const std::vector<Question>& questions_;
  language::TokenizedMessages lines_;  // of the questions
  const SamplingParams& sampling_;
  const bool weigh_, alone_;
  size_t asked_ = 0;                           // questions that were answered
  std::vector<int32_t> answer_;                // to the next, as far as it is known
  std::vector<std::vector<int32_t>> prompts_;  // of each question, the later ones as guessed; empty: not yet known
  std::vector<int32_t> plan_;
  std::vector<ExpectedToken> expected_;
  std::vector<Completion> said_;
  std::vector<rollout::CachedSequence> beginnings_;
};

}  // namespace compeer::inference
