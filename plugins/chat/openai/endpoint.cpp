// Settings of an endpoint, its key, and help texts for its errors.
#include "openai/endpoint.h"

#include <sys/resource.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "base/error.h"

namespace compeer::openai {

namespace {

constexpr std::string_view path = "/chat/completions";

constexpr std::string_view url_ends =
    "'url' must be the part before /chat/completions, such as https://api.example.com/v1";

constexpr char quotes[] = {'\'', '"', '`'};

// Words by which OpenAI, vLLM and Mistral report an unsupported field.
constexpr const char* unknown_words[] = {"unsupported",  "not supported", "does not support", "unknown",
                                         "unrecognized", "not permitted", "extra_forbidden"};

// True if the account has no credit left, which a retry can't fix. 429 alone also means a busy endpoint.
bool is_credit(int64_t status, const ApiError& error) {
  return status == 402 || error.code == "insufficient_quota" || error.code == "insufficient_user_quota" ||
         error.code == "billing_hard_limit_reached" || error.code == "Arrearage";
}

bool is_unknown_field(const ApiError& error) {
  std::string text = error.code + " " + error.message;
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::any_of(std::begin(unknown_words), std::end(unknown_words),
                     [&](const char* word) { return text.find(word) != std::string::npos; });
}

// A shorter key is a placeholder for endpoints without keys, and may occur in any answer.
constexpr size_t shortest_secret = 8;

std::string base(std::string url) {
  const auto cut_slashes = [&] {
    while (url.ends_with('/')) url.pop_back();
  };
  cut_slashes();
  if (url.ends_with(path)) url.resize(url.size() - path.size());
  cut_slashes();
  return url;
}

Milliseconds milliseconds(double seconds) { return Milliseconds(static_cast<int64_t>(std::ceil(seconds * 1000))); }

RequestFormat form_of(const Settings& settings) {
  RequestFormat form{.model = settings.text("name"),
                     .limit_field = settings.text("limit_field"),
                     .stream = settings.flag("stream"),
                     .extra = settings.table("extra").json(),
                     .omit = settings.texts("omit"),
                     .response_format = settings.text("response_format")};
  for (const char* own : {"model", "messages", "stream"}) {
    if (form.extra.contains(own) || std::find(form.omit.begin(), form.omit.end(), own) != form.omit.end()) {
      throw Error("extra, omit", std::string("the field '") + own + "' is set by the plugin", "", Exit::spec);
    }
  }
  return form;
}

}  // namespace

Milliseconds Patience::wait(int64_t failures, std::optional<Milliseconds> retry_after, double random) const {
  const double most = std::min(std::ldexp(static_cast<double>(first.count()), static_cast<int>(failures) - 1),
                               static_cast<double>(longest.count()));
  const Milliseconds jitter(static_cast<int64_t>(most * random));
  return std::max(jitter, std::min(retry_after.value_or(Milliseconds(0)), longest));
}

Endpoint::Endpoint(const Settings& settings)
    : address(base(settings.text("url"))),
      form(form_of(settings)),
      patience{settings.integer("retries"), milliseconds(settings.number("backoff")),
               milliseconds(settings.number("backoff_max"))},
      concurrent(static_cast<size_t>(settings.integer("concurrent"))),
      min_interval(settings.number("requests_per_minute") > 0
                       ? milliseconds(60 / settings.number("requests_per_minute"))
                       : Milliseconds(0)),
      give_up(settings.integer("give_up")),
      price_in(settings.number("price_in")),
      price_out(settings.number("price_out")),
      tokens_per_minute(settings.number("tokens_per_minute")),
      budget(settings.number("budget")),
      budget_tokens(settings.integer("budget_tokens")) {
  if (budget > 0 && price_in == 0 && price_out == 0)
    throw Error("budget", "is set, but both prices are 0", "set price_in and price_out, or use budget_tokens",
                Exit::spec);
  post.url = address.url + std::string(path);
  post.direct = address.loopback;
  post.connect = milliseconds(settings.number("connect_timeout"));
  post.whole = milliseconds(settings.number("timeout"));
  post.stall = milliseconds(settings.number("stall_timeout"));
  if (settings.has("authorities")) post.authorities = settings.text("authorities");
  post.headers = {"Content-Type: application/json", "Expect:"};
  read_key(settings);
}

void Endpoint::read_key(const Settings& settings) {
  key_env_ = settings.text("key_env");
  const char* value = std::getenv(key_env_.c_str());
  if (!value) return;
  key_ = value;
  const auto space = [](unsigned char c) { return c <= ' '; };
  key_.erase(key_.begin(), std::find_if_not(key_.begin(), key_.end(), space));
  key_.erase(std::find_if_not(key_.rbegin(), key_.rend(), space).base(), key_.end());
  if (key_.empty()) return;
  // Disables core dumps, which would contain the key.
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  if (std::any_of(key_.begin(), key_.end(), [](unsigned char c) { return c <= ' ' || c >= 0x7f; })) {
    throw Error("$" + key_env_, "contains white space or non-ASCII characters, which a key can't have", "",
                Exit::plugin);
  }
  if (!address.secure && !address.loopback && !settings.flag("key_over_http")) {
    throw Error(address.url, "the key in $" + key_env_ + " would be sent over http, unencrypted",
                "use https, unset the variable, or set key_over_http = true if you trust the network", Exit::plugin);
  }
  post.headers.push_back("Authorization: Bearer " + key_);
}

std::string Endpoint::clean(std::string text) const {
  if (key_.size() < shortest_secret) return text;
  const std::string instead = "[the key in $" + key_env_ + "]";
  for (size_t at = 0; (at = text.find(key_, at)) != std::string::npos; at += instead.size()) {
    text.replace(at, key_.size(), instead);
  }
  return text;
}

std::string Endpoint::introduction() const {
  if (key_.empty()) return "sends requests to " + address.url + " without a key: $" + key_env_ + " is not set";
  return "sends requests to " + address.url + " with the key in $" + key_env_;
}

std::string Endpoint::remedy(int64_t status, const ApiError& error) const {
  if (is_credit(status, error))
    return "add credit to the account, or set " + key_env_ + " to another key; then resume: stored answers are reused";
  if (status == 404) return std::string(url_ends) + ", and the endpoint must have the model '" + form.model + "'";
  if (status >= 300 && status < 400) return "set 'url' to the address it redirects to: redirects are not followed";
  if (status == 400 || status == 422) return remedy_of_field(error);
  if (status != 401 && status != 403) return {};
  if (key_.empty()) return "set the environment variable " + key_env_ + " to your key";
  return "check that the key in the environment variable " + key_env_ + " is valid for this endpoint and model";
}

// An unsupported field affects every request. An error about a value may not: vLLM calls "'max_tokens' or
// 'max_completion_tokens'" too large if a prompt leaves too few tokens of the context.
std::string Endpoint::remedy_of_field(const ApiError& error) const {
  const std::string other = form.limit_field == "max_tokens" ? "max_completion_tokens" : "max_tokens";
  const auto says = [&](const std::string& words) { return error.message.find(words) != std::string::npos; };
  const auto names = [&](const std::string& field) {
    if (error.param == field) return true;
    return std::any_of(std::begin(quotes), std::end(quotes), [&](char quote) { return says(quote + field + quote); });
  };
  const bool unknown = is_unknown_field(error), too_long = says("too large") || says("context length");
  if (form.limit_field == "max_tokens" ? says(other) && !too_long : unknown && names(form.limit_field))
    return "set limit_field = \"" + other + "\" in the settings of the chat model";
  if (!unknown) return {};
  const auto body = nlohmann::json::parse(body_of(form, {.turns = {}, .choices = {"a"}, .want_log_probs = true}));
  for (const auto& [field, value] : body.items()) {
    if (field == "model" || field == "messages" || field == "stream" || !names(field)) continue;
    if (form.extra.contains(field)) return "remove '" + field + "' from 'extra' in the settings of the chat model";
    if (field.ends_with("logprobs")) return "set score_by = \"answer\": the endpoint returns no log-probabilities";
    return "set omit = [\"" + field + "\"] in the settings of the chat model";
  }
  return {};
}

std::string Endpoint::advice(const HttpResult& last) const {
  if (last.error.starts_with("Operation timed out")) return "raise 'timeout', or lower 'concurrent'";
  if (last.status == 0) return "start the endpoint, or correct 'url'";
  if (!last.error.empty() || last.status >= 300) return "check the endpoint";
  return std::string(url_ends);
}

}  // namespace compeer::openai
