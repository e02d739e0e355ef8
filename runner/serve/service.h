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

struct ActiveRequest;

/// A model that requests can name: the base model (first in the list), or the LoRA adapter whose number
/// (`Segment::adapter`) is its position in the list.
struct ServedModel {
  std::string name;
  const inference::ModelInput& input;  ///< must outlive the service
  std::vector<int32_t> end_tokens;
};

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

  std::vector<std::string> names() const;
  const ServedModel* model_at(const std::string& path) const;
  int32_t adapter_of(const std::string& name) const;
  const ServedModel& model_of(const ParsedRequest& asked) const;
  std::unique_ptr<ParsedRequest> prepared(const HttpRequest& request, std::shared_ptr<Response> response);
  rollout::Supply next(rollout::Prompt& prompt, bool wait);
  bool collect(bool wait);
  bool admit(ParsedRequest& asked, rollout::Prompt& prompt);
  void start(ParsedRequest& asked, PrefixCache::Entry* place, rollout::Prompt& prompt);
  std::shared_ptr<const rollout::Request> request_of(const std::shared_ptr<ActiveRequest>& answering,
                                                     const ParsedRequest& asked) const;
  void finish(size_t order, uint32_t completion, const rollout::Sample& sample);
  void leave(ActiveRequest& answering);
  void refuse_all(const HttpError& refusal);

  const std::vector<ServedModel> models_;
  const ServiceOptions options_;
  const ModelShape shape_;
  const int64_t started_;

  std::mutex preparing_;  // held while a large request is prepared, so that only one at a time needs the memory
  std::atomic<uint64_t> requests_ = 0;

  std::mutex mutex_;  // guards the next three members
  std::condition_variable arrived_;
  std::deque<std::unique_ptr<ParsedRequest>> inbox_;
  bool stopping_ = false;

  // Used by `run` only.
  rollout::Engine engine_;
  PrefixCache prefixes_;
  std::deque<std::unique_ptr<ParsedRequest>> waiting_;
  std::map<size_t, std::shared_ptr<ActiveRequest>> answering_;  // by the prompt's position in the call of the engine
  size_t order_ = 0;                                            // position of the next prompt
  int64_t read_ = 0, cached_ = 0, said_ = 0;                    // tokens, for `summary`
};

}  // namespace compeer::serve
