// Checks and prepares requests on the connections' threads, and feeds them to one call of the engine, which reads,
// decodes and finishes them continuously.
#include "serve/service.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <exception>

#include "base/error.h"
#include "base/hash.h"
#include "serve/active_request.h"

namespace compeer::serve {

namespace {

constexpr int64_t most_log_probs = int64_t{1} << 20;  // in one answer
constexpr int64_t longest_token = 128;                // bytes; an approximate upper bound
constexpr int64_t large_text = int64_t{64} << 10;     // bytes; larger requests are prepared one at a time
const std::string models_path = "/v1/models";
constexpr const char* too_long = "context_length_exceeded";

// Percent-decoding: "two%20words" becomes "two words".
std::string decoded(const std::string& text) {
  std::string all;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto code = text[i] == '%' ? text.substr(i + 1, 2) : "";
    const bool hex = code.size() == 2 && code.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
    all += hex ? static_cast<char>(std::stoi(code, nullptr, 16)) : text[i];
    if (hex) i += 2;
  }
  return all;
}

// Bytes of keys and values of 16 positions in all layers.
int64_t page_bytes(const ModelShape& shape) {
  return 16 * shape.layers * 2 * shape.kv_heads * shape.head_dim * static_cast<int64_t>(sizeof(float));
}

// Compares hashes, so that the time does not reveal how long a prefix is equal (timing attack).
bool equal(const std::string& a, const std::string& b) { return sha256(a) == sha256(b); }

std::string small_letters(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string text_of(const Error& error) {
  return error.where() + ": " + error.problem() + (error.help().empty() ? "" : "; " + error.help());
}

rollout::Sampling sampling_of(const CompletionRequest& call) {
  rollout::Sampling sampling;
  sampling.greedy = call.temperature < 1e-3;  // below that, sampling is greedy anyway
  if (!sampling.greedy) sampling.temperature = call.temperature;
  sampling.top_k = call.top_k;
  sampling.top_p = call.top_p;
  sampling.min_p = call.min_p;
  sampling.repetition_penalty = call.repetition_penalty;
  sampling.max_new_tokens = call.max_tokens.value_or(INT32_MAX);
  return sampling;
}

// Returns the bytes of all texts of the messages. Refuses texts that are certainly too long for the model before
// tokenizing them, which may take a gigabyte of memory.
int64_t checked_length(const nlohmann::ordered_json& messages, const ModelShape& shape) {
  int64_t bytes = 0;
  const auto add = [&](const nlohmann::ordered_json& text) {
    if (text.is_string()) bytes += static_cast<int64_t>(text.get_ref<const std::string&>().size());
  };
  for (const auto& message : messages) {
    for (const auto& text : message) add(text);
    if (!message.at("content").is_array()) continue;
    for (const auto& part : message.at("content")) add(part.value("text", nlohmann::ordered_json()));
  }
  if (bytes > shape.positions * longest_token)
    throw HttpError(
        400,
        fmt::format("messages: contain {} bytes of text, but the model has room for {} tokens", bytes, shape.positions),
        "messages", too_long);
  return bytes;
}

// Returns the tokens of each choice. Refuses a choice that its tokens don't decode to: some tokenizers change
// characters.
std::vector<std::vector<int32_t>> sequences(const std::vector<std::string>& choices,
                                            const language::Tokenizer& tokenizer) {
  std::vector<std::vector<int32_t>> all;
  for (const auto& choice : choices) {
    all.push_back(tokenizer.encode(choice));
    if (tokenizer.decode(all.back()) != choice)
      throw HttpError(400, "response_format: the tokenizer can't encode '" + choice.substr(0, 80) + "' exactly",
                      "response_format");
  }
  return all;
}

void check_log_probs(const CompletionRequest& call, const ModelShape& shape) {
  const auto tokens = std::min(call.max_tokens.value_or(shape.positions), shape.positions);
  if (call.log_probs && call.n * tokens * (1 + call.top_logprobs) > most_log_probs)
    throw HttpError(
        400, fmt::format("logprobs: the limit per answer is {}; lower n, max_tokens or top_logprobs", most_log_probs),
        "logprobs");
}

}  // namespace

struct ChatService::ParsedRequest {
  CompletionRequest call;
  uint64_t number;
  int32_t adapter;
  inference::PromptWithPictures prompt;
  std::shared_ptr<const CompletionOptions> wanted;
  std::shared_ptr<Response> response;
};

ChatService::ChatService(rollout::Policy& policy, std::vector<ServedModel> models, ServiceOptions options)
    : models_(std::move(models)),
      options_(std::move(options)),
      shape_(policy.model.shape()),
      started_(std::time(nullptr)),
      engine_(policy),
      prefixes_(engine_, std::max<int64_t>(options_.cache_bytes / page_bytes(shape_), 64)) {}

ChatService::~ChatService() = default;

std::optional<HttpServer::Refused> ChatService::check(const HttpRequest& request) const {
  const auto refuse = [](const HttpError& error) { return HttpServer::Refused{error.status, error.body()}; };
  const bool models = request.path == models_path || model_at(request.path);
  const bool chat = request.path == "/v1/chat/completions", health = request.path == "/health";
  // A web page in a browser on this machine could send requests, too.
  if (!request.origin.empty()) return refuse({403, "requests from web pages are not allowed"});
  if (options_.token.empty() && !request.host.empty() && !is_local_host(request.host, options_.host))
    return refuse({403, "Host is '" + request.host.substr(0, 80) +
                            "', which is not this machine; use localhost, or start the server with a token"});
  if (!health && !options_.token.empty() && !equal(request.authorization, "Bearer " + options_.token))
    return refuse({401, "the token is missing or wrong", "", "invalid_api_key"});
  if (!models && !chat && !health)
    return refuse({404, "unknown path " + request.path.substr(0, 80) + "; use /v1/chat/completions or /v1/models"});
  if (request.method != (chat ? "POST" : "GET") && (chat || request.method != "HEAD"))
    return refuse(
        {405, request.path + " requires " + (chat ? "POST" : "GET") + ", not " + request.method.substr(0, 20)});
  if (chat && small_letters(request.content_type.substr(0, 16)) != "application/json")
    return refuse({415, "the body must be application/json, not '" + request.content_type.substr(0, 60) + "'"});
  return {};
}

void ChatService::handle(HttpRequest request, std::shared_ptr<Response> response) {
  if (request.path == "/health") return response->send(200, R"({"status":"ok"})");
  if (request.path != "/v1/chat/completions")
    return response->send(200, request.path == models_path ? models_json(names(), started_)
                                                           : model_json(model_at(request.path)->name, started_));
  try {
    auto asked = prepared(request, response);
    const std::lock_guard lock(mutex_);
    if (stopping_) throw HttpError(503, "the server is shutting down");
    inbox_.push_back(std::move(asked));
    arrived_.notify_one();
  } catch (const HttpError& refusal) {
    refuse(*response, refusal);
  } catch (const rollout::TooLong& error) {
    refuse(*response, HttpError(400, text_of(error), "messages", too_long));
  } catch (const Error& error) {
    refuse(*response, HttpError(400, text_of(error), "messages"));
  } catch (const std::exception& error) {
    refuse(*response, HttpError(500, error.what()));
  }
}

std::vector<std::string> ChatService::names() const {
  std::vector<std::string> all;
  for (const auto& model : models_) all.push_back(model.name);
  return all;
}

// The model of a path /v1/models/NAME; null: none.
const ServedModel* ChatService::model_at(const std::string& path) const {
  const auto named = std::find_if(models_.begin(), models_.end(), [&, asked = decoded(path)](const ServedModel& model) {
    return asked == models_path + ("/" + model.name);
  });
  return named == models_.end() ? nullptr : &*named;
}

int32_t ChatService::adapter_of(const std::string& name) const {
  const auto named =
      std::find_if(models_.begin(), models_.end(), [&](const ServedModel& model) { return model.name == name; });
  if (named != models_.end()) return static_cast<int32_t>(named - models_.begin());
  const auto served = fmt::format("'{}' {} served", fmt::join(names(), "', '"), models_.size() == 1 ? "is" : "are");
  if (name.empty()) throw HttpError(400, "model: is missing; " + served, "model");
  throw HttpError(404, "model: unknown model '" + name.substr(0, 80) + "'; " + served, "model", "model_not_found");
}

const ServedModel& ChatService::model_of(const ParsedRequest& asked) const {
  return models_[static_cast<size_t>(asked.adapter)];
}

std::unique_ptr<ChatService::ParsedRequest> ChatService::prepared(const HttpRequest& request,
                                                                  std::shared_ptr<Response> response) {
  CompletionRequest call = read_completion_request(request.body);
  const int32_t adapter = adapter_of(call.model);
  auto length = checked_length(call.messages, shape_);
  for (const auto& choice : call.choices) length += static_cast<int64_t>(choice.size());
  check_log_probs(call, shape_);
  std::unique_lock lock(preparing_, std::defer_lock);
  if (length > large_text || !call.pictures.empty()) lock.lock();
  const auto& [name, input, end_tokens] = models_[static_cast<size_t>(adapter)];
  auto prompt = input.read({{"messages", call.messages}}, call.pictures, "messages", 1);
  CompletionOptions wanted{call.stop, {}, call.log_probs, call.top_logprobs};
  if (!call.choices.empty()) {
    auto all = sequences(call.choices, input.needed_tokenizer());
    wanted.choices.emplace(std::make_shared<const std::vector<std::vector<int32_t>>>(std::move(all)), end_tokens);
  }
  call.messages = nullptr;
  call.pictures.clear();
  return std::make_unique<ParsedRequest>(ParsedRequest{std::move(call), ++requests_, adapter, std::move(prompt),
                                                       std::make_shared<const CompletionOptions>(std::move(wanted)),
                                                       std::move(response)});
}

void ChatService::run() {
  rollout::Request all;
  all.sampling.concurrent = options_.concurrent;
  all.max_active_per_prompt = std::max<int64_t>(options_.concurrent / 2, 1);  // no request takes all slots
  for (bool stopped = false; !stopped;) {
    try {
      order_ = 0;
      engine_.generate([this](rollout::Prompt& prompt, bool wait) { return next(prompt, wait); }, all,
                       [this](size_t order, uint32_t completion, const rollout::Sample& sample) {
                         finish(order, completion, sample);
                       });
      stopped = true;
    } catch (const std::exception& error) {
      refuse_all(HttpError(500, error.what()));
    }
  }
}

void ChatService::stop() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  arrived_.notify_one();
}

// Moves queued requests to `waiting_`; if `wait`, blocks until there is one. Returns false after `stop`.
bool ChatService::collect(bool wait) {
  std::unique_lock lock(mutex_);
  if (wait && waiting_.empty()) arrived_.wait(lock, [this] { return stopping_ || !inbox_.empty(); });
  std::move(inbox_.begin(), inbox_.end(), std::back_inserter(waiting_));
  inbox_.clear();
  return !stopping_;
}

rollout::Supply ChatService::next(rollout::Prompt& prompt, bool wait) {
  for (;;) {
    if (!collect(wait)) {
      for (const auto& asked : waiting_) refuse(*asked->response, HttpError(503, "the server is shutting down"));
      waiting_.clear();
      return rollout::Supply::end;
    }
    std::erase_if(waiting_, [](const auto& asked) { return asked->response->gone(); });
    for (auto asked = waiting_.begin(); asked != waiting_.end();) {
      try {
        if (!admit(**asked, prompt)) {
          ++asked;
          continue;
        }
        waiting_.erase(asked);
        return rollout::Supply::prompt;
      } catch (const std::exception& error) {
        refuse(*(*asked)->response, HttpError(500, error.what()));
        asked = waiting_.erase(asked);
      }
    }
    if (!wait) return rollout::Supply::later;
  }
}

// Starts a request: fills in its prompt. Returns false if it should wait, because its prefix is being read for another
// request. Prompts with pictures don't use the prefix cache, since their tokens don't identify the pictures.
bool ChatService::admit(ParsedRequest& asked, rollout::Prompt& prompt) {
  const bool sees = !asked.prompt.pictures.empty();
  PrefixCache::Entry* place = sees ? nullptr : prefixes_.acquire(asked.prompt.tokens, asked.adapter);
  if (!place && !sees) return false;
  try {
    start(asked, place, prompt);
  } catch (...) {
    if (place) prefixes_.release(place);
    throw;
  }
  return true;
}

void ChatService::start(ParsedRequest& asked, PrefixCache::Entry* place, rollout::Prompt& prompt) {
  const auto length = static_cast<int64_t>(asked.prompt.tokens.size());
  const auto id = fmt::format("chatcmpl-{:x}-{}", started_, asked.number);
  const auto answering = std::make_shared<ActiveRequest>(asked.call, id, asked.response);
  answering->prefix = place;
  answering->usage = {length, place ? place->cached : 0, 0};
  prompt = model_of(asked).input.compute_vision(std::move(asked.prompt));
  prompt.adapter = asked.adapter;
  if (place) {
    prompt.tokens.erase(prompt.tokens.begin(), prompt.tokens.begin() + place->begun);
    prompt.context = &place->sequence;
  }
  // Equal requests without a seed get different answers.
  prompt.index = asked.call.seed ? 0 : static_cast<uint32_t>(asked.number);
  prompt.request = request_of(answering, asked);
  answering->open();
  answering_.emplace(order_, answering);
  ++order_;
  read_ += length - answering->usage.cached;
  cached_ += answering->usage.cached;
}

std::shared_ptr<const rollout::Request> ChatService::request_of(const std::shared_ptr<ActiveRequest>& answering,
                                                                const ParsedRequest& asked) const {
  auto request = std::make_shared<rollout::Request>();
  request->sampling = sampling_of(asked.call);
  request->group_size = asked.call.n;
  request->end_tokens = model_of(asked).end_tokens;
  request->isolate_nonfinite = true;
  request->seed = asked.call.seed.value_or(options_.seed);
  request->rules = [answering, wanted = asked.wanted,
                    &tokenizer = model_of(asked).input.needed_tokenizer()](uint32_t completion) {
    auto& own = answering->growing.try_emplace(completion, tokenizer, wanted).first->second;
    rollout::CompletionRules rules;
    rules.stop = [answering, completion, &own](int32_t id) {
      const bool over = own.push(id);
      answering->add(completion, own.take());
      return over || answering->response->gone();
    };
    if (wanted->log_probs || wanted->choices) rules.logits = [&own](std::span<float> row) { own.constrain(row); };
    return rules;
  };
  return request;
}

void ChatService::finish(size_t order, uint32_t completion, const rollout::Sample& sample) {
  const auto answering = answering_.at(order);
  answering->nonfinite = answering->nonfinite || sample.nonfinite;
  CompletionDelta rest = answering->growing.at(completion).finish();
  rest.finish_reason = sample.finished ? "stop" : "length";
  answering->add(completion, std::move(rest));
  answering->growing.erase(completion);
  answering->usage.completion += static_cast<int64_t>(sample.tokens.size());
  said_ += static_cast<int64_t>(sample.tokens.size());
  if (++answering->ended < answering->completions.size()) return;
  leave(*answering);
  answering_.erase(order);
  if (!answering->nonfinite) return answering->close();
  answering->fail(HttpError(
      500, fmt::format("model '{}' computes numbers that are not finite; its weights are damaged, or training diverged",
                       answering->model)));
}

void ChatService::leave(ActiveRequest& answering) {
  if (auto* place = std::exchange(answering.prefix, nullptr)) prefixes_.release(place);
}

void ChatService::refuse_all(const HttpError& refusal) {
  for (const auto& [order, answering] : answering_) {
    leave(*answering);
    answering->fail(refusal);
  }
  answering_.clear();
}

std::string ChatService::summary() const {
  return fmt::format("{} requests: {} prompt tokens computed, {} reused from the cache, {} tokens generated",
                     requests_.load(), read_, cached_, said_);
}

}  // namespace compeer::serve
