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

struct OpenAnswer;

/// One of those that are served: the model, or the adapter (`Segment::adapter`) at its place in the list.
struct ServedModel {
  std::string name;  ///< that requests call it by
  const inference::ModelInput& input;
  std::vector<int32_t> end_tokens;
};

struct ServiceOptions {
  std::string token;                       ///< that requests must bring; empty: none, but a Host of this machine
  std::string host = {};                   ///< that requests may name as Host, besides those of this machine
  int64_t concurrent = 64;                 ///< completions under way
  uint64_t seed = 1;                       ///< of requests without one
  int64_t cache_bytes = int64_t{1} << 30;  ///< keys and values of what may be asked again
};

/// Answers chat completion requests with one model, or with several over one base: POST /v1/chat/completions, GET
/// /v1/models, GET /health. Requests are decoded together as they come; each is drawn as if it were alone (a function
/// of its messages, settings and seed), and what several begin with is read once.
class ChatService {
 public:
  ChatService(rollout::Policy& policy, std::vector<ServedModel> models, ServiceOptions options);
  ~ChatService();

  /// Any thread: whether a request is refused before its body is read, and what becomes of it.
  std::optional<HttpServer::Refused> refused(const HttpRequest& request) const;
  void take(HttpRequest request, std::shared_ptr<Response> response);

  /// Answers requests until `stop`, by this thread alone; then those that are under way.
  void run();
  /// Any thread.
  void stop();

  /// "7 requests: 812 tokens of prompts read, 301 known before, 64 tokens said"
  std::string summary() const;

 private:
  struct Asked;  // a request that is understood, and its way back

  std::vector<std::string> names() const;
  const ServedModel* model_at(const std::string& path) const;
  int32_t adapter_of(const std::string& name) const;
  const ServedModel& model_of(const Asked& asked) const;
  std::unique_ptr<Asked> prepared(const HttpRequest& request, std::shared_ptr<Response> response);
  rollout::Supply next(rollout::Prompt& prompt, bool wait);
  bool collect(bool wait);
  bool admit(Asked& asked, rollout::Prompt& prompt);
  void start(Asked& asked, Prefixes::Place* place, rollout::Prompt& prompt);
  std::shared_ptr<const rollout::Request> request_of(const std::shared_ptr<OpenAnswer>& answering,
                                                     const Asked& asked) const;
  void finish(size_t order, uint32_t completion, const rollout::Sample& sample);
  void leave(OpenAnswer& answering);
  void refuse_all(const HttpError& refusal);

  const std::vector<ServedModel> models_;
  const ServiceOptions options_;
  const ModelShape shape_;
  const int64_t started_;

  std::mutex preparing_;  // held by one large request at a time: what they take of memory doesn't add up
  std::atomic<uint64_t> requests_ = 0;

  std::mutex mutex_;  // of what follows
  std::condition_variable arrived_;
  std::deque<std::unique_ptr<Asked>> inbox_;
  bool stopping_ = false;

  // Of `run` alone.
  rollout::Engine engine_;
  Prefixes prefixes_;
  std::deque<std::unique_ptr<Asked>> waiting_;
  std::map<size_t, std::shared_ptr<OpenAnswer>> answering_;  // by their order in a call of the engine
  size_t order_ = 0;
  int64_t read_ = 0, cached_ = 0, said_ = 0;
};

}  // namespace compeer::serve
