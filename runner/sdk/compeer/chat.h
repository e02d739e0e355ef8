#pragma once
#include <boost/config.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "compeer/conversation.h"

namespace compeer {

/// What is asked of a chat model.
struct ChatRequest {
  std::vector<Turn> turns;   ///< ends with the user's
  double temperature = 0;    ///< 0: the likeliest answer
  int64_t max_tokens = 512;  ///< of the answer
  uint32_t draw = 0;         ///< another number asks for another answer to the same question
  /// The answer is to be one of these, as the prompt says too: for endpoints that can hold a model to it. May be empty.
  std::vector<std::string> choices = {};
};

struct ChatReply {
  std::string text;
  bool finished = true;  ///< false if cut off at max_tokens
  std::string failure;   ///< why there is no answer, after all retries; empty if there is one
  int64_t prompt_tokens = 0, completion_tokens = 0;  ///< as far as known
  std::string served = {};                           ///< who answered, as the endpoint says; empty: `model()`
  double cost = 0;                                   ///< as far as prices are known
};

/// A chat model: an endpoint, a directory on our engine, a script. The host stores every answer as it arrives, for all
/// runs that share a folder of results, so that none is asked for twice.
///
/// Threads: one thread calls an object at a time. A plugin may use threads of its own within a call.
class BOOST_SYMBOL_VISIBLE Chat {
 public:
  static constexpr const char* kind = "chat";
  virtual ~Chat() = default;

  /// Told of each reply when it is there, once a request, in any order, by the thread that called `answer`.
  using Arrived = std::function<void(size_t request, ChatReply reply)>;

  /// Answers all requests, side by side if it can. One that can't be answered has a reply that says why.
  /// Throws only what would fail for any request: no key, no such model. Once Host::cancelled() it may return early:
  /// whoever asked is then told of the stop by the host, and answers that have arrived are remembered.
  virtual void answer(const std::vector<ChatRequest>& requests, const Arrived& arrived) = 0;

  /// Who answers, for provenance: the model's name, or the directory it comes from.
  virtual std::string model() const = 0;

  /// What answers depend on beside plugin, version, model and request; a stored answer is used for this alone. Empty:
  /// on every setting and the run's seed. A plugin with settings that change no answer (how long to wait, what it
  /// costs) says the rest, and one that reads files says what is in them. Never a secret.
  virtual std::string origin() const { return {}; }

  /// True if answers are computed in no time and are always the same: then they are not stored.
  virtual bool free() const { return false; }

  /// For who asks, who calls it when an answer could not be read: the host notes that beside the stored answer
  /// (`compeer data answers --malformed`), and ends a stage with too many of them (`data.most_malformed`). `again`: the
  /// question is asked once more, with another draw. Plugins that answer have nothing to do.
  virtual void unreadable(const ChatRequest& request, const std::string& answer, bool again) {
    (void)request, (void)answer, (void)again;
  }
};

}  // namespace compeer
