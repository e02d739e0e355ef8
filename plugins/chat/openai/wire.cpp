// Bodies of chat completion requests and responses.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "base/data_uri.h"
#include "base/json.h"
#include "base/text.h"
#include "openai/wire.h"

namespace compeer::openai {

namespace {

using nlohmann::json;

// Returns the text in lower case without leading punctuation and white space, so that " True" equals "true".
std::string plain(std::string text) {
  const auto letter = [](unsigned char c) { return std::isalnum(c) || c >= 0x80; };
  text.erase(text.begin(), std::find_if(text.begin(), text.end(), letter));
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// Returns the only choice that an answer beginning with this token can mean; empty if there are none or several.
std::optional<size_t> matching_choice(const std::string& token, const std::vector<std::string>& choices) {
  const auto said = plain(token);
  std::optional<size_t> found;
  for (size_t i = 0; i < choices.size() && !said.empty(); ++i) {
    const auto choice = plain(choices[i]);
    if (!choice.starts_with(said) && !said.starts_with(choice)) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

double log_prob_in(const json& token) {
  const double value = token.at("logprob").get<double>();
  if (!(value <= 1e-3)) throw std::runtime_error("one of its log-probabilities is above 0");
  return std::max(value, -100.0);  // some endpoints write -9999 or less for zero probability
}

// Returns the index of the token in which the answer begins: after the third quote of {"answer": "..."}, otherwise at
// the first letter.
size_t begin_of(const std::vector<AnswerToken>& tokens) {
  std::string all;
  for (const auto& token : tokens) all += token.text;
  size_t from = 0;
  if (const auto first = all.find_first_not_of(" \t\r\n"); first != std::string::npos && all[first] == '{') {
    for (int quote = 0; quote < 3 && from != std::string::npos; ++quote) from = all.find('"', from + (quote > 0));
  }
  if (from == std::string::npos) return tokens.size();
  const size_t at = all.size() - plain(all.substr(from)).size();
  size_t end = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    end += tokens[i].text.size();
    if (end > at) return i;
  }
  return tokens.size();
}

// Serializes JSON; bytes that are not UTF-8 become U+FFFD.
std::string text_of(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

// Returns the text on one line of at most 300 bytes, without control characters; '?' for each byte that is not UTF-8.
std::string one_line(std::string text) {
  if (text.size() > 300) {
    size_t end = 297;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    text = text.substr(0, end) + "...";
  }
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  for (size_t at = first_broken(text); at < text.size(); at = first_broken(text)) text[at] = '?';
  return text;
}

// Returns the content of a message: a string, or the concatenated texts of a list of parts.
std::string content(const json& message) {
  const auto found = message.find("content");
  if (found == message.end() || found->is_null()) return {};
  if (found->is_string()) return found->get<std::string>();
  std::string text;
  for (const json& part : *found) text += part.value("text", "");
  return text;
}

const json* member(const json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::string text_in(const json& object, const char* key) {
  const json* value = member(object, key);
  return value && value->is_string() ? value->get<std::string>() : "";
}

std::string message_of(const json& error) {
  if (error.is_string()) return error.get<std::string>();
  const json* message = member(error, "message");
  return message && message->is_string() ? message->get<std::string>() : "an error without a message";
}

// Returns the text within the first element `name`; `lower` is `html` in lower case.
std::string element(const std::string& html, const std::string& lower, const std::string& name) {
  const auto open = lower.find("<" + name);
  const auto begin = open == std::string::npos ? open : lower.find('>', open);
  const auto end = begin == std::string::npos ? begin : lower.find("</" + name, begin);
  return end == std::string::npos ? "" : html.substr(begin + 1, end - begin - 1);
}

// Returns a description such as "an HTML page: '502 Bad Gateway'"; empty if the body is not HTML.
std::string html_page(const std::string& body) {
  const auto start = std::min(body.find_first_not_of(" \t\r\n"), body.size());
  const std::string html = body.substr(start, 10'000);
  std::string lower = html;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  if (!lower.starts_with("<!doctype html") && !lower.starts_with("<html")) return {};
  for (const char* name : {"title", "h1", "body"}) {
    const auto title = one_line(element(html, lower, name).substr(0, 60));
    if (title.find_first_not_of(' ') != std::string::npos) return "an HTML page: '" + title + "'";
  }
  return "an HTML page";
}

// Throws as json::parse does, and for deep nesting, which no endpoint sends and parsing would take a gigabyte for.
json parsed(const std::string& text) {
  if (nests_too_deeply(text)) throw std::runtime_error("its JSON nests too deeply");
  return json::parse(text);
}

// Returns a token count, clamped so that sums fit into 64 bits.
int64_t count_in(const json& usage, const char* key) {
  const json count = usage.value(key, json());
  return count.is_number() ? static_cast<int64_t>(std::clamp(count.get<double>(), 0.0, 1e9)) : 0;
}

// Assembles an answer from one object or from the events of a stream.
class AnswerReader {
 public:
  // `field`: name of the text's object, "message" in a whole answer or "delta" in a stream event.
  void add(const json& object, const char* field) {
    if (const json* error = member(object, "error")) throw std::runtime_error("it reports: " + message_of(*error));
    if (const json* usage = member(object, "usage")) {
      received_.usage = true;
      received_.reply.prompt_tokens = count_in(*usage, "prompt_tokens");
      received_.reply.completion_tokens = count_in(*usage, "completion_tokens");
    }
    if (const json* model = member(object, "model"); model && model->is_string()) received_.reply.served = *model;
    const json* choices = member(object, "choices");
    if (!choices || choices->empty()) return;
    const json& choice = choices->at(0);
    if (const json* part = member(choice, field)) {
      said_ = true;
      received_.reply.text += content(*part);
      if (const json* refusal = member(*part, "refusal")) refusal_ += refusal->get<std::string>();
      if (const json* calls = member(*part, "tool_calls"); calls && !calls->empty()) note_tool(calls->at(0));
    }
    if (const json* reason = member(choice, "finish_reason")) reason_ = reason->get<std::string>();
    if (const json* log_probs = member(choice, "logprobs")) {
      if (const json* tokens = member(*log_probs, "content")) add_tokens(*tokens, tokens_);
    }
  }

  Received whole(const std::vector<std::string>& weighed) {
    if (!said_) throw std::runtime_error("it contains no answer");
    auto& reply = received_.reply;
    reply.finished = reason_ != "length";
    if (!refusal_.empty() && reply.text.empty()) reply.failure = one_line("the model refused: " + refusal_);
    if (calls_tool_ && reply.text.empty())
      reply.failure = one_line("the model called the tool '" + tool_ + "' instead of answering");
    if (reason_ == "content_filter") reply.failure = "the endpoint's content filter blocked the answer";
    if (!weighed.empty() && reply.failure.empty()) {
      if (tokens_.empty()) throw std::runtime_error(without_log_probs);
      reply.log_probs = choice_log_probs(weighed, tokens_);
    }
    return std::move(received_);
  }

  bool ended() const { return !reason_.empty(); }

 private:
  // A stream repeats the call without its name, so the first one counts.
  void note_tool(const json& call) {
    calls_tool_ = true;
    if (const json* function = member(call, "function"); function && tool_.empty()) tool_ = text_in(*function, "name");
  }

  Received received_;
  std::string reason_, refusal_, tool_;
  std::vector<AnswerToken> tokens_;
  bool said_ = false, calls_tool_ = false;
};

// Returns the data of server-sent events. An empty line ends an event; its data may span lines. Lines end with LF, CR
// LF or CR.
std::vector<std::string> events(const std::string& body) {
  std::vector<std::string> all;
  std::string data;
  bool any = false;
  const auto close = [&] {
    if (any) all.push_back(data);
    data.clear();
    any = false;
  };
  for (size_t begin = 0; begin < body.size();) {
    const size_t end = std::min(body.find_first_of("\r\n", begin), body.size());
    const std::string_view line(body.data() + begin, end - begin);
    if (line.empty()) close();
    if (line.starts_with("data:")) {
      if (any) data += '\n';
      data += line.substr(line.size() > 5 && line[5] == ' ' ? 6 : 5);
      any = true;
    }
    begin = end + (body.compare(end, 2, "\r\n") == 0 ? 2 : 1);
  }
  close();  // some endpoints omit the last empty line
  return all;
}

Received read_stream(const std::vector<std::string>& all, const std::vector<std::string>& weighed) {
  AnswerReader reading;
  bool done = false;
  for (const auto& event : all) {
    done = done || event == "[DONE]";
    if (!done) reading.add(parsed(event), "delta");
  }
  if (!done && !reading.ended()) throw std::runtime_error("the stream was cut off");
  return reading.whole(weighed);
}

// A JSON schema for an object whose "answer" is one of the choices, the simplest form most endpoints accept; `choices`
// is specific to compeer serve.
json format_of(const std::string& type, const std::vector<std::string>& choices) {
  if (type == "choices") return {{"type", type}, {"choices", choices}};
  const json schema = {{"type", "object"},
                       {"properties", {{"answer", {{"type", "string"}, {"enum", choices}}}}},
                       {"required", {"answer"}},
                       {"additionalProperties", false}};
  return {{"type", "json_schema"}, {"json_schema", {{"name", "answer"}, {"strict", true}, {"schema", schema}}}};
}

// Returns a turn's content: its text, or a list with its pictures and then the text.
json content_of(const Turn& turn) {
  if (turn.pictures.empty()) return turn.text;
  json parts = json::array();
  for (const auto& picture : turn.pictures)
    parts.push_back(json{{"type", "image_url"}, {"image_url", {{"url", data_uri(picture)}}}});
  parts.push_back(json{{"type", "text"}, {"text", turn.text}});
  return parts;
}

}  // namespace

void add_tokens(const json& content, std::vector<AnswerToken>& tokens) {
  for (const json& one : content) {
    AnswerToken token{one.at("token").get<std::string>(), {}};
    const json alternatives = one.value("top_logprobs", json::array());
    for (const json& other : alternatives)
      token.alternatives.emplace_back(other.at("token").get<std::string>(), log_prob_in(other));
    const bool told = std::any_of(token.alternatives.begin(), token.alternatives.end(),
                                  [&](const auto& other) { return other.first == token.text; });
    if (!told) token.alternatives.emplace_back(token.text, log_prob_in(one));
    tokens.push_back(std::move(token));
  }
}

std::vector<double> choice_log_probs(const std::vector<std::string>& choices, const std::vector<AnswerToken>& tokens) {
  const size_t at = begin_of(tokens);
  if (at == tokens.size() || !matching_choice(tokens[at].text, choices)) return {};
  std::vector<std::optional<double>> likely(choices.size());
  double told = 0, least = 1;
  for (const auto& [text, log_prob] : tokens[at].alternatives) {
    told += std::exp(log_prob);
    least = std::min(least, std::exp(log_prob));
    const auto choice = matching_choice(text, choices);
    if (!choice) continue;
    auto& sum = likely[*choice];
    sum = sum ? std::log(std::exp(*sum) + std::exp(log_prob)) : log_prob;
  }
  // A choice that is not listed is less likely than every listed alternative, and than their remainder.
  const double rest = std::log(std::max(std::min(least, 1 - told), 1e-12));
  std::vector<double> all;
  for (const auto& one : likely) all.push_back(one.value_or(rest));
  return all;
}

std::string body_of(const RequestFormat& form, const ChatRequest& request) {
  json body{{"model", form.model}, {"messages", json::array()}, {"temperature", request.temperature}};
  for (const auto& turn : request.turns) {
    body["messages"].push_back(json{{"role", turn.role}, {"content", content_of(turn)}});
  }
  body[form.limit_field] = request.max_tokens;
  body["seed"] = request.sample_index;
  body["stream"] = form.stream;
  if (form.stream) body["stream_options"] = json{{"include_usage", true}};
  if (request.want_log_probs) body["logprobs"] = true, body["top_logprobs"] = most_alternatives;
  if (form.response_format != "none" && !request.choices.empty())
    body["response_format"] = format_of(form.response_format, request.choices);
  body.update(form.extra);
  for (const auto& field : form.omit) body.erase(field);
  return text_of(body);
}

Received read(const std::string& body, const std::vector<std::string>& weighed) {
  try {
    const auto start = body.find_first_not_of(" \t\r\n");
    if (start == std::string::npos) throw std::runtime_error("it is empty");
    if (body[start] != '{') {
      const auto all = events(body);
      if (const auto page = html_page(body); !page.empty()) throw std::runtime_error("it is " + page);
      if (all.empty()) throw std::runtime_error("it is not JSON: '" + one_line(body.substr(start, 60)) + "'");
      return read_stream(all, weighed);
    }
    AnswerReader reading;
    reading.add(parsed(body), "message");
    return reading.whole(weighed);
  } catch (const json::exception& error) {
    return {.reply = {}, .error = one_line(std::string("its JSON is invalid: ") + error.what())};
  } catch (const std::runtime_error& error) {
    return {.reply = {}, .error = one_line(error.what())};
  }
}

// Handles {"error": {...}}, {"error": "..."}, {"message": ...} and {"detail": ...}; some endpoints wrap them in a list.
ApiError error_of(const std::string& body) {
  if (const auto page = html_page(body); !page.empty()) return {page, "", ""};
  json value = parse_json(body);
  if (value.is_array() && !value.empty()) value = json(value[0]);
  const json* error = member(value, "error");
  const json& about = error && error->is_object() ? *error : value;
  ApiError found{"", text_in(about, "code"), text_in(about, "param")};
  if (found.code.empty()) found.code = text_in(about, "type");
  if (error) {
    found.message = message_of(*error);
  } else if (const json* message = member(value, "message")) {
    found.message = message_of(*message);
  } else if (const json* detail = member(value, "detail")) {
    found.message = detail->is_string() ? detail->get<std::string>() : text_of(*detail);
  } else {
    found.message = body.empty() ? "no reason given" : text_of(body.substr(0, 200));
  }
  found.message = one_line(found.message);
  return found;
}

}  // namespace compeer::openai
