#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "inference/model_input.h"
#include "rollout/engine.h"
#include "serve/http.h"
#include "serve/prefixes.h"
#include "serve/request.h"

namespace compeer::serve {

struct ActiveRequest;  // a request whose completions are being decoded (active_request.h)

/// A model that requests can name: the base model (first in the list), or the LoRA adapter whose number
/// (`Segment::adapter`) is its position in the list.
struct ServedModel {
  std::string name;                    ///< the value of "model" in requests
  const inference::ModelInput& input;  ///< tokenizer, chat template and pictures; must outlive the service
  std::vector<int32_t> end_tokens;     ///< tokens that end an answer
};

/// Settings of a ChatService.
struct ServiceOptions {
  std::string token;        ///< bearer token that requests must send; empty: none, but Host must name this machine
  std::string host = {};    ///< host that the server listens on, which Host may also name
  int64_t concurrent = 64;  ///< most completions decoded at once
  uint64_t seed = 1;        ///< seed of requests that have none
  int64_t cache_bytes = int64_t{1} << 30;  ///< KV cache above which cached prefixes are evicted; at least 64 pages
};

/// Answers chat completion requests with a model and LoRA adapters over it: POST /v1/chat/completions, GET /v1/models,
/// GET /health. Requests are decoded together by continuous batching; an answer depends only on its messages, settings
/// and seed (exact kernels). Common prefixes of prompts are computed once.
class ChatService {
 public:
  /// Keeps a reference to `policy`.
  ChatService(rollout::Policy& policy, std::vector<ServedModel> models, ServiceOptions options);
  ~ChatService();

  /// Returns the error response if a request is to be refused before its body is read: wrong token, Host, path, method
  /// or content type. Thread-safe.
  std::optional<HttpServer::Refused> check(const HttpRequest& request) const;
  /// Answers a request that `check` accepted: at once if no completion is needed, otherwise queues it for `run`.
  /// Parses and tokenizes on the calling thread. Thread-safe.
  void handle(HttpRequest request, std::shared_ptr<Response> response);

  /// Computes the answers on the calling thread. Returns after `stop`, when requests in progress are answered; waiting
  /// requests get status 503.
  void run();
  /// Makes `run` return. Thread-safe.
  void stop();

  /// Returns "7 requests: 812 prompt tokens computed, 301 reused from the cache, 64 tokens generated". Not while `run`
  /// runs.
  std::string summary() const;

 private:
  struct ParsedRequest;  // a parsed request with its response

  std::vector<std::string> names() const;  // names of all models
  // Returns the model of a path "/v1/models/NAME"; null if there is none.
  const ServedModel* model_at(const std::string& path) const;
  // Returns the adapter number of the model with this name. Throws HttpError (404; 400 for an empty name).
  int32_t adapter_of(const std::string& name) const;
  const ServedModel& model_of(const ParsedRequest& asked) const;
  // Parses, checks and tokenizes a request. Throws HttpError for an invalid one.
  std::unique_ptr<ParsedRequest> prepared(const HttpRequest& request, std::shared_ptr<Response> response);

  // The functions below run on the thread of `run`, called by the engine.

  // The engine's PromptSource: fills in the prompt of the next request that can start.
  rollout::Supply next(rollout::Prompt& prompt, bool wait);
  // Moves requests from `inbox_` to `waiting_`; if `wait`, blocks until there is one. Returns false after `stop`.
  bool collect(bool wait);
  // Starts a request and fills in its prompt. Returns false if it has to wait, because a prefix of its prompt is being
  // read for another request.
  bool admit(ParsedRequest& asked, rollout::Prompt& prompt);
  // The same with a place in the prefix cache; null: the cache is not used.
  void start(ParsedRequest& asked, PrefixCache::Entry* place, rollout::Prompt& prompt);
  // Returns the engine's settings for a request, with callbacks that add tokens to `answering`.
  std::shared_ptr<const rollout::Request> request_of(const std::shared_ptr<ActiveRequest>& answering,
                                                     const ParsedRequest& asked) const;
  // The engine's Sink: a completion has ended. Sends the response after the last one of its request.
  void finish(size_t order, uint32_t completion, const rollout::Sample& sample);
  // Releases the request's place in the prefix cache.
  void leave(ActiveRequest& answering);
  // Answers all active requests with an error.
  void refuse_all(const HttpError& refusal);

  const std::vector<ServedModel> models_;
  const ServiceOptions options_;
  const ModelShape shape_;
  const int64_t started_;  // Unix time of construction, in seconds

  std::mutex preparing_;  // held while a large request is prepared, so that only one at a time needs the memory
  std::atomic<uint64_t> requests_ = 0;  // number of requests so far

  std::mutex mutex_;                                  // guards the next three members
  std::condition_variable arrived_;                   // signals a new request, or `stop`
  std::deque<std::unique_ptr<ParsedRequest>> inbox_;  // requests that `run` has not collected
  bool stopping_ = false;                             // `stop` was called

  // Used by `run` only.
  rollout::Engine engine_;
  PrefixCache prefixes_;
  std::deque<std::unique_ptr<ParsedRequest>> waiting_;          // collected requests that have not started
  std::map<size_t, std::shared_ptr<ActiveRequest>> answering_;  // by the prompt's position in the call of the engine
  size_t order_ = 0;                                            // position of the next prompt
  // Numbers of tokens, for `summary`: prompt tokens computed, prompt tokens from the cache, generated tokens.
  int64_t read_ = 0, cached_ = 0, said_ = 0;
};

}  // namespace compeer::serve
