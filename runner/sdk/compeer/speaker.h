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
};

struct Said {
  std::string text;  ///< without special tokens
  int64_t tokens = 0;
  bool finished = true;  ///< false if cut off at max_tokens
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

  /// Says `texts[i]`, as the user, in `talks[i]`, and answers. Each talk stands there once.
  virtual std::vector<Said> answer(const std::vector<Talk*>& talks, const std::vector<std::string>& texts,
                                   const Manner& manner) = 0;

  /// Natural-log probabilities of each choice as the whole answer to `text`; the talk stays as it was. [choices]
  virtual std::vector<double> weigh(const Talk& talk, const std::string& text,
                                    const std::vector<std::string>& choices) = 0;
};

}  // namespace compeer
