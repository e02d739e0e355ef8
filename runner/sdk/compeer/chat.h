#pragma once
#include <boost/config.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "compeer/conversation.h"

// Chat models: language models that answer dialogues, behind an endpoint or on the host. `Chat` is for plugins that ask
// one, such as a judge; `ChatModel` is the interface of a plugin of the kind "chat", which implements one.

namespace compeer {

/// One request to a chat model.
struct ChatRequest {
  std::vector<Turn> turns;    ///< the last turn is the user's
  double temperature = 0;     ///< 0: greedy decoding
  int64_t max_tokens = 512;   ///< limit on the answer's tokens
  uint32_t sample_index = 0;  ///< number of the sample: different values give independent answers to equal requests
  /// Allowed answers, for endpoints that support constrained decoding; the prompt must list them, too. May be empty.
  std::vector<std::string> choices = {};
  bool want_log_probs = false;  ///< also requests the log-probability of each of `choices`
};

/// The reply to one request: an answer, or the reason why there is none.
struct ChatReply {
  std::string text;      ///< the answer; unspecified after a failure
  bool finished = true;  ///< false if the answer was cut off at max_tokens
  std::string failure;   ///< reason why there is no answer after all retries; empty on success
  int64_t prompt_tokens = 0, completion_tokens = 0;  ///< numbers of tokens of the prompt and the answer; 0 if unknown
  std::string served = {};  ///< name of the model that answered, as reported by the endpoint; empty: `model()`
  double cost = 0;          ///< price of the request in the currency of the plugin's settings; 0 if unknown
  /// If the request had `want_log_probs` set: the natural-log probability of each of its `choices`; empty if unknown.
  std::vector<double> log_probs = {};
};

/// A chat model as other plugins use it: `host.chat(settings.table("chat"))`. The host stores every answer when it
/// arrives and reuses it in all runs that share a results folder, so that no request is sent twice.
class BOOST_SYMBOL_VISIBLE Chat {
 public:
  virtual ~Chat() = default;

  /// Receives the reply to the request with this index in the list. Called once for each request, in any order, on the
  /// thread that called `answer`.
  using OnReply = std::function<void(size_t request, ChatReply reply)>;

  /// Answers all requests, concurrently if possible, and calls `arrived` with each reply before it returns. If a
  /// request can't be answered, its reply contains the reason
  /// (`failure`). Throws if no request can be answered, and once the run is to stop. While a reward whose `is_async()`
  /// is true is blocked here, the host may call it for other groups.
  virtual void answer(const std::vector<ChatRequest>& requests, const OnReply& arrived) = 0;

  /// Returns the name of the answering model, or its directory, for provenance.
  virtual std::string model() const = 0;

  /// Returns true if answers come from an external service, so that `answer` mostly waits.
  virtual bool is_async() const { return false; }

  /// To be called for each `answer` to `request` that the caller could not parse. The host marks the stored answer
  /// (`compeer data answers
  /// --malformed`) and ends the stage if there are too many (`data.max_malformed`). `again`: true if the caller
  /// sends the request once more with another `sample_index`.
  virtual void unreadable(const ChatRequest& request, const std::string& answer, bool again) {
    (void)request, (void)answer, (void)again;
  }
};

/// The queue from which a chat plugin takes requests, and to which it returns replies. The host implements it.
class BOOST_SYMBOL_VISIBLE ChatRequests {
 public:
  virtual ~ChatRequests() = default;

  /// A request that was taken, and its number, which identifies it in `reply`.
  struct Numbered {
    size_t number;
    ChatRequest request;
  };

  /// Takes up to `most` of the next requests from the queue, in the order of their arrival. If none is queued: returns
  /// an empty list immediately while requests that were taken are unanswered; otherwise blocks until there is one. An
  /// empty list without unanswered requests means that no more will come, or that the run is to stop.
  virtual std::vector<Numbered> take(size_t most) = 0;

  /// Answers the request with this number, which was taken: exactly once, in any order, on the thread that took it.
  virtual void reply(size_t number, ChatReply reply) = 0;
};

/// Interface of a plugin of the kind "chat": an endpoint, a model directory on the host's engine, a script.
///
///   void answer(compeer::ChatRequests& requests) override {
///     for (auto one = requests.take(1); !one.empty(); one = requests.take(1))
///       requests.reply(one[0].number, {.text = "I see.", .failure = ""});
///   }
///
/// Threads: calls on one object never overlap. A plugin may use threads of its own within a call.
class BOOST_SYMBOL_VISIBLE ChatModel {
 public:
  static constexpr const char* kind = "chat";
  virtual ~ChatModel() = default;

  /// Takes and answers all requests, concurrently if possible; more may arrive meanwhile. If a request can't be
  /// answered, its reply contains the reason. Throws only if every request would fail: no key, no such model. May
  /// return early once Host::cancelled() is true; answers already returned are stored.
  virtual void answer(ChatRequests& requests) = 0;

  /// Returns the name of the answering model, or its directory, for provenance.
  virtual std::string model() const = 0;

  /// Returns what answers depend on besides the plugin, its version, the model and the request. A stored answer is
  /// reused only if this text is equal. Empty (the default): all settings and the run's seed. Override it if some
  /// settings don't affect answers (timeouts, prices), and include the contents of files that the plugin reads. Never
  /// include secrets.
  virtual std::string cache_key() const { return {}; }

  /// Returns true if answers are deterministic and computed instantly. They are then not stored.
  virtual bool is_instant() const { return false; }

  /// Returns true if `answer` only waits for an external service. The host then calls it on a separate thread, so that
  /// requests of several plugins are in flight at once.
  virtual bool is_async() const { return false; }
};

}  // namespace compeer
