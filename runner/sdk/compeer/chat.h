#pragma once
#include <boost/config.hpp>
#include <cstddef>
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
  bool weigh = false;  ///< how likely each of the `choices` is, is asked, too
};

struct ChatReply {
  std::string text;
  bool finished = true;  ///< false if cut off at max_tokens
  std::string failure;   ///< why there is no answer, after all retries; empty if there is one
  int64_t prompt_tokens = 0, completion_tokens = 0;  ///< as far as known
  std::string served = {};                           ///< who answered, as the endpoint says; empty: `model()`
  double cost = 0;                                   ///< as far as prices are known
  /// Natural logarithms, one for each of the request's `choices`, if it was to `weigh` them; empty if that isn't known.
  std::vector<double> log_probs = {};
};

/// A chat model as plugins ask it: `host.chat(settings.table("chat"))`. The host stores every answer as it arrives, for
/// all runs that share a folder of results, so that none is asked for twice.
class BOOST_SYMBOL_VISIBLE Chat {
 public:
  virtual ~Chat() = default;

  /// Told of each reply, once a request, in any order, by the thread that called `answer`.
  using Arrived = std::function<void(size_t request, ChatReply reply)>;

  /// Answers all requests, side by side if it can. One that can't be answered has a reply that says why. Throws where
  /// no request could be answered, and once the run is to stop. While a reward that `waits()` stands here, the host may
  /// call it for other groups.
  virtual void answer(const std::vector<ChatRequest>& requests, const Arrived& arrived) = 0;

  /// Who answers, for provenance: the model's name, or the directory it comes from.
  virtual std::string model() const = 0;

  /// True if answers come from elsewhere, and this process only waits for them.
  virtual bool waits() const { return false; }

  /// To be called when an answer could not be read: the host notes that beside the stored answer (`compeer data answers
  /// --malformed`), and ends a stage with too many of them (`data.most_malformed`). `again`: the question is asked once
  /// more, with another draw.
  virtual void unreadable(const ChatRequest& request, const std::string& answer, bool again) {
    (void)request, (void)answer, (void)again;
  }
};

/// Requests on their way to a chat model, and its replies on their way back.
class BOOST_SYMBOL_VISIBLE ChatRequests {
 public:
  virtual ~ChatRequests() = default;

  struct Numbered {
    size_t number;
    ChatRequest request;
  };

  /// The next ones, `most` at most, in the order in which they were asked. None if none is there and some that were
  /// taken are still to be answered. If none are, it waits for the next; none then means that no other comes.
  virtual std::vector<Numbered> take(size_t most) = 0;

  /// Answers a request that was taken; once, in any order, by the thread that took it.
  virtual void reply(size_t number, ChatReply reply) = 0;
};

/// A chat model: an endpoint, a directory on our engine, a script.
///
///   void answer(compeer::ChatRequests& requests) override {
///     for (auto one = requests.take(1); !one.empty(); one = requests.take(1))
///       requests.reply(one[0].number, {.text = "I see.", .failure = ""});
///   }
///
/// Threads: one thread calls an object at a time. A plugin may use threads of its own within a call.
class BOOST_SYMBOL_VISIBLE ChatModel {
 public:
  static constexpr const char* kind = "chat";
  virtual ~ChatModel() = default;

  /// Answers all requests, side by side if it can. More may come while some are being answered. One that can't be
  /// answered has a reply that says why. Throws only what would fail for any request: no key, no such model. Once
  /// Host::cancelled() it may return early; answers that have arrived are remembered.
  virtual void answer(ChatRequests& requests) = 0;

  /// Who answers, for provenance: the model's name, or the directory it comes from.
  virtual std::string model() const = 0;

  /// What answers depend on beside plugin, version, model and request; a stored answer is used for this alone. Empty:
  /// on every setting and the run's seed. A plugin with settings that change no answer (how long to wait, what it
  /// costs) says the rest, and one that reads files says what is in them. Never a secret.
  virtual std::string origin() const { return {}; }

  /// True if answers are computed in no time and are always the same: then they are not stored.
  virtual bool free() const { return false; }

  /// True if `answer` waits for somebody else and computes nothing: then the host calls it on a thread of its own, and
  /// requests of several who ask are under way at once.
  virtual bool waits() const { return false; }
};

}  // namespace compeer
