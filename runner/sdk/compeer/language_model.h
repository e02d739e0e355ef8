#pragma once
#include <boost/config.hpp>
#include <memory>
#include <string>
#include <vector>

#include "compeer/conversation.h"

// Language models that plugins run on the host's engine, without an endpoint: multi-turn conversations with a KV cache.
// Plugins get them by Host::language_model.

namespace compeer {

/// Sampling settings of LanguageModel.
struct SamplingParams {
  double temperature = 0;              ///< 0: greedy decoding
  int64_t max_tokens = 256;            ///< limit on the answer's tokens
  uint32_t sample_index = 0;           ///< number of the sample: different values give independent answers
  std::vector<std::string> stop = {};  ///< stop strings: an answer ends once it contains one of them
  double min_token_prob = 0;           ///< tokens with a lower probability are left out of the returned text; 0: none
};

/// A user turn that is most likely answered by one of a few texts, such as a multiple-choice question to a judge.
struct Question {
  std::string text;                  ///< text of the user turn
  std::vector<std::string> choices;  ///< likely answers; the model may still answer something else
  size_t guess = 0;                  ///< index in `choices` of the most likely answer; affects speed only
  /// Speculative decoding over questions, which affects speed only: if true, the next question of the conversation is
  /// processed together with this one as if the answer were `choices[guess]`, and again if it was not.
  bool speculate = false;
};

/// The answer to a Question, with the log-probabilities of the question's choices.
struct ScoredAnswer {
  Completion answer;  ///< the sampled answer
  /// For each choice, the natural-log probability of the choice as the whole answer; empty unless requested
  /// (`want_log_probs`).
  std::vector<double> log_probs;
};

/// A conversation whose tokens a LanguageModel keeps in its KV cache: continuing it computes only the new tokens.
class BOOST_SYMBOL_VISIBLE Conversation {
 public:
  virtual ~Conversation() = default;
  /// Returns another conversation with the same turns. The two share the cached prefix.
  virtual std::unique_ptr<Conversation> copy() const = 0;
};

/// A model loaded from a directory, run by the host's engine. An answer does not depend on the other requests of a
/// call.
///
/// Threads: called only on the thread on which the host called the plugin.
class BOOST_SYMBOL_VISIBLE LanguageModel {
 public:
  virtual ~LanguageModel() = default;

  /// Starts a conversation with these turns and processes their tokens immediately. The language model must outlive it.
  virtual std::unique_ptr<Conversation> begin(const std::vector<Turn>& turns) = 0;

  /// Appends `texts[i]` as a user turn to `conversations[i]`, unless `texts[i]` is empty, then generates an answer and
  /// appends it as an assistant turn. Returns one completion for each conversation. A conversation may occur only once.
  virtual std::vector<Completion> answer(const std::vector<Conversation*>& conversations,
                                         const std::vector<std::string>& texts, const SamplingParams& sampling) = 0;

  /// Asks all `questions[i]` in `conversations[i]`, one after the other, and returns the answers, indexed
  /// [conversation][question]. They equal those of repeated `answer` calls (without stop strings), but take fewer
  /// forward passes. `want_log_probs`: also computes `ScoredAnswer::log_probs`. A conversation may occur only once.
  virtual std::vector<std::vector<ScoredAnswer>> ask(const std::vector<Conversation*>& conversations,
                                                     const std::vector<std::vector<Question>>& questions,
                                                     const SamplingParams& sampling, bool want_log_probs) = 0;

  /// Returns, indexed [i][token], the natural-log probability of each token of `texts[i]`, and of the tokens that end
  /// it, as the answer to the last turn of `conversations[i]`. Does not change the conversations; one may occur several
  /// times.
  virtual std::vector<std::vector<float>> score(const std::vector<Conversation*>& conversations,
                                                const std::vector<std::string>& texts) = 0;
};

}  // namespace compeer
