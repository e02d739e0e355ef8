#pragma once
#include <boost/config.hpp>
#include <memory>
#include <string>
#include <vector>

#include "compeer/conversation.h"

namespace compeer {

/// How answers are drawn.
struct SamplingParams {
  double temperature = 0;  ///< 0: the likeliest token
  int64_t max_tokens = 256;
  uint32_t draw = 0;                   ///< another number, another answer
  std::vector<std::string> stop = {};  ///< an answer is over once it contains one of these
  double sure = 0;                     ///< tokens less likely than this are left out of the text that is given back
};

/// A question whose answer is one of a few, most likely.
struct Question {
  std::string text;
  std::vector<std::string> choices;  ///< what may be answered; a language model may say something else all the same
  /// Which of these is expected most, and whether to count on it: then the next question is read along with it, and
  /// read again if another answer is given. Answers do not depend on either, only what they cost.
  size_t guess = 0;
  bool sure = false;
};

struct ScoredAnswer {
  Completion answer;
  std::vector<double> log_probs;  ///< natural logarithms, of each choice as the whole answer; if asked for
};

/// A conversation that a LanguageModel holds in memory: going on costs the new tokens only.
class BOOST_SYMBOL_VISIBLE Conversation {
 public:
  virtual ~Conversation() = default;
  /// Another conversation with the same past, which the two share.
  virtual std::unique_ptr<Conversation> copy() const = 0;
};

/// A language model out of a directory, on the host's engine. Answers do not depend on what is asked for together.
///
/// Threads: called by the thread that called the plugin, and by no other.
class BOOST_SYMBOL_VISIBLE LanguageModel {
 public:
  virtual ~LanguageModel() = default;

  /// A conversation that begins with these turns, which are read at once. The language model must outlive it.
  virtual std::unique_ptr<Conversation> begin(const std::vector<Turn>& turns) = 0;

  /// Says `texts[i]`, as the user, in `conversations[i]`, and answers. Without a text the conversation's last turn is
  /// answered. Each conversation stands there once.
  virtual std::vector<Completion> answer(const std::vector<Conversation*>& conversations,
                                         const std::vector<std::string>& texts, const SamplingParams& sampling) = 0;

  /// Asks `questions[i]` in `conversations[i]`, one after the other, and gives the answers that `answer` would (without
  /// stops), side by side and in fewer passes. `weigh`: log_probs too. Each conversation stands there once.
  /// [conversations][questions]
  virtual std::vector<std::vector<ScoredAnswer>> ask(const std::vector<Conversation*>& conversations,
                                                     const std::vector<std::vector<Question>>& questions,
                                                     const SamplingParams& sampling, bool weigh) = 0;

  /// Natural logarithms of how likely each token of `texts[i]`, and of its end, is as the answer to the last turn of
  /// `conversations[i]`. The conversations stay as they are, and may stand there more than once.
  virtual std::vector<std::vector<float>> score(const std::vector<Conversation*>& conversations,
                                                const std::vector<std::string>& texts) = 0;
};

}  // namespace compeer
