#pragma once
#include <boost/config.hpp>
#include <memory>
#include <string>
#include <vector>

#include "compeer/conversation.h"

namespace compeer {

/// How answers are drawn.
struct Manner {
  double temperature = 0;  ///< 0: the likeliest token
  int64_t max_tokens = 256;
  uint32_t draw = 0;                   ///< another number, another answer
  std::vector<std::string> stop = {};  ///< an answer is over once it contains one of these
  double sure = 0;                     ///< tokens less likely than this are left out of the text that is given back
};

struct Said {
  std::string text;  ///< without special tokens
  int64_t tokens = 0;
  bool finished = true;  ///< false if cut off at max_tokens
};

/// A question whose answer is one of a few, most likely.
struct Question {
  std::string text;
  std::vector<std::string> choices;  ///< what may be answered; a speaker may say something else all the same
  /// Which of these is expected most, and whether to count on it: then the next question is read along with it, and
  /// read again if another answer is given. Answers do not depend on either, only what they cost.
  size_t guess = 0;
  bool sure = false;
};

struct Answered {
  Said said;
  std::vector<double> log_probs;  ///< natural logarithms, of each choice as the whole answer; if asked for
};

/// A conversation that a Speaker holds in memory: going on costs the new tokens only.
class BOOST_SYMBOL_VISIBLE Talk {
 public:
  virtual ~Talk() = default;
  /// Another conversation with the same past, which the two share.
  virtual std::unique_ptr<Talk> copy() const = 0;
};

/// A language model out of a directory, on the host's engine. Answers do not depend on what is asked for together.
class BOOST_SYMBOL_VISIBLE Speaker {
 public:
  virtual ~Speaker() = default;

  /// A conversation that begins with these turns, which are read at once. The speaker must outlive it.
  virtual std::unique_ptr<Talk> begin(const std::vector<Turn>& turns) = 0;

  /// Says `texts[i]`, as the user, in `talks[i]`, and answers. Without a text the talk's last turn is answered. Each
  /// talk stands there once.
  virtual std::vector<Said> answer(const std::vector<Talk*>& talks, const std::vector<std::string>& texts,
                                   const Manner& manner) = 0;

  /// Asks `questions[i]` in `talks[i]`, one after the other, and gives the answers that `answer` would (without stops),
  /// side by side and in fewer passes. `weigh`: log_probs too. Each talk stands there once. [talks][questions]
  virtual std::vector<std::vector<Answered>> ask(const std::vector<Talk*>& talks,
                                                 const std::vector<std::vector<Question>>& questions,
                                                 const Manner& manner, bool weigh) = 0;
};

}  // namespace compeer
