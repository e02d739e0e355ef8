// Parses the body of a chat completion request, within limits on its size and number of values.
#include "serve/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/data_uri.h"
#include "base/error.h"
#include "base/json.h"

namespace compeer::serve {

namespace {

using json = nlohmann::ordered_json;

constexpr size_t most_messages = 4096, most_pictures = 16, most_stops = 16, most_choices = 1024, longest_choice = 4096;
constexpr size_t longest_name = 256;             // bytes of the name of a model, role or speaker
constexpr size_t most_values = size_t{1} << 18;  // JSON values: each takes up to a hundred bytes of memory

[[noreturn]] void refuse(const std::string& field, const std::string& what) {
  throw HttpError(400, field + ": " + what, field);
}

std::string shown(const json& value) {
  const auto text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  return text.size() > 60 ? text.substr(0, 57) + "..." : text;
}

bool truth(const json& value, const std::string& field) {
  if (!value.is_boolean()) refuse(field, "is " + shown(value) + ", not true or false");
  return value.get<bool>();
}

double number(const json& value, const std::string& field, double least, double most) {
  if (!value.is_number()) refuse(field, "is " + shown(value) + ", not a number");
  const auto number = value.get<double>();
  if (!(number >= least && number <= most))
    refuse(field, fmt::format("is {}, but must be from {} to {}", shown(value), least, most));
  return number;
}

int64_t count(const json& value, const std::string& field, int64_t least, int64_t most) {
  if (!value.is_number_integer()) refuse(field, "is " + shown(value) + ", not a whole number");
  const bool large = value.is_number_unsigned() && value.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX);
  const int64_t number = large ? most : value.get<int64_t>();
  if (large || number < least || number > most)
    refuse(field, fmt::format("is {}, but must be from {} to {}", shown(value), least, most));
  return number;
}

const std::string& text(const json& value, const std::string& field) {
  if (!value.is_string()) refuse(field, "is " + shown(value) + ", not a string");
  return value.get_ref<const std::string&>();
}

const std::string& short_text(const json& value, const std::string& field) {
  const auto& name = text(value, field);
  if (name.size() > longest_name)
    refuse(field, fmt::format("has {} bytes, more than the limit of {}", name.size(), longest_name));
  return name;
}

std::vector<std::string> texts(const json& value, const std::string& field, size_t most) {
  if (!value.is_array()) refuse(field, "is " + shown(value) + ", not a list of strings");
  if (value.empty() || value.size() > most)
    refuse(field, fmt::format("has {} strings, but must have 1 to {}", value.size(), most));
  std::vector<std::string> all;
  for (const json& one : value) {
    all.push_back(text(one, field));
    if (all.back().empty() || all.back().size() > longest_choice)
      refuse(field, fmt::format("contains a string of {} bytes, but each must have 1 to {}", all.back().size(),
                                longest_choice));
  }
  return all;
}

const json* member(const json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

// Converts a part of a message to the form that chat templates take; adds a picture's bytes to `pictures`.
json part_of(const json& part, const std::string& where, std::vector<std::string>& pictures) {
  const json* type = member(part, "type");
  if (type && *type == "text" && member(part, "text"))
    return {{"type", "text"}, {"text", text(*member(part, "text"), where)}};
  if (!type || *type != "image_url")
    refuse(where, "has a part " + shown(part) + ", which is neither text nor image_url");
  const json* url = member(part, "image_url");
  if (url && url->is_object()) url = member(*url, "url");
  if (!url) refuse(where, "has an image_url without a url");
  auto bytes = bytes_of_data_uri(text(*url, where));
  if (!bytes) refuse(where, "a picture must be data:image/png;base64,... or data:image/jpeg;base64,...");
  if (pictures.size() == most_pictures)
    refuse(where, fmt::format("exceeds the limit of {} pictures per request", most_pictures));
  pictures.push_back(std::move(*bytes));
  return {{"type", "image"}};
}

// Converts the parts of a message; joins them into one text if none is a picture.
json content_of(const json& parts, const std::string& where, std::vector<std::string>& pictures) {
  json list = json::array();
  std::string joined;
  bool shows = false;
  for (const json& one : parts) {
    list.push_back(part_of(one, where, pictures));
    shows = shows || list.back().at("type") == "image";
    if (!shows) joined += list.back().at("text").get_ref<const std::string&>();
  }
  return shows ? list : json(joined);
}

json message_of(const json& given, const std::string& where, std::vector<std::string>& pictures) {
  if (!given.is_object()) refuse(where, "is " + shown(given) + ", not an object with role and content");
  for (const char* other : {"tool_calls", "function_call", "audio"}) {
    if (const json* value = member(given, other); value && !value->empty())
      refuse(where, std::string(other) + " is not supported");
  }
  const json* role = member(given, "role");
  const json* content = member(given, "content");
  if (!role || !content) refuse(where, std::string("has no ") + (role ? "content" : "role"));
  json message = {{"role", short_text(*role, where + ".role")}};
  if (content->is_array()) {
    message["content"] = content_of(*content, where, pictures);
  } else {
    message["content"] = text(*content, where);
  }
  if (const json* name = member(given, "name")) message["name"] = short_text(*name, where + ".name");
  return message;
}

void read_messages(const json& value, CompletionRequest& call) {
  if (!value.is_array() || value.empty() || value.size() > most_messages)
    refuse("messages", fmt::format("must be a list of 1 to {} messages", most_messages));
  call.messages = json::array();
  for (size_t i = 0; i < value.size(); ++i)
    call.messages.push_back(message_of(value[i], fmt::format("messages[{}]", i), call.pictures));
}

// Returns all answers that a JSON schema allows, as JSON texts: {"enum": [...]}, {"const": ...}, or an object of such
// properties, all of them required.
std::vector<std::string> allowed(const json& schema, const std::string& field) {
  std::vector<std::string> all;
  const auto add = [&](std::string one) {
    if (all.size() == most_choices || one.size() > longest_choice)
      refuse(field, fmt::format("allows more than {} answers, or an answer longer than {} bytes", most_choices,
                                longest_choice));
    all.push_back(std::move(one));
  };
  if (const json* values = member(schema, "enum"); values && values->is_array()) {
    for (const json& value : *values) add(value.dump());
  } else if (const json* value = member(schema, "const")) {
    add(value->dump());
  } else if (const json* properties = member(schema, "properties"); properties && properties->is_object()) {
    all = {"{"};
    for (const auto& [name, property] : properties->items()) {
      const auto beginnings = std::move(all);
      all.clear();
      const auto values_of_it = allowed(property, field);
      for (const auto& beginning : beginnings) {
        for (const auto& one : values_of_it)
          add(beginning + (beginning.size() > 1 ? ", " : "") + json(name).dump() + ": " + one);
      }
    }
    for (auto& one : all) one += "}";
  }
  if (all.empty() || all.front() == "{}")
    refuse(field,
           "only schemas with a small set of answers are supported: enum, const, or an object of such properties");
  return all;
}

void read_format(const json& value, CompletionRequest& call) {
  const std::string field = "response_format";
  const json* type = member(value, "type");
  if (!type) refuse(field, "has no type");
  if (*type == "text") return;
  if (*type == "choices") {
    const json* choices = member(value, "choices");
    if (!choices) refuse(field, "of type choices has no list 'choices'");
    call.choices = texts(*choices, field, most_choices);
  } else if (*type == "json_schema") {
    const json* outer = member(value, "json_schema");
    const json* schema = outer ? member(*outer, "schema") : nullptr;
    if (!schema) refuse(field, "has no json_schema.schema");
    call.choices = allowed(*schema, field);
  } else {
    refuse(field, "type " + shown(*type) + " is not supported; use text, choices or json_schema");
  }
}

void read_stop(const json& value, CompletionRequest& call) {
  if (value.is_string()) {
    call.stop = texts(json::array({value}), "stop", most_stops);
  } else if (!value.is_array() || !value.empty()) {
    call.stop = texts(value, "stop", most_stops);
  }
}

// The field with choices in vLLM's API.
void read_structured(const json& value, CompletionRequest& call) {
  const json* choices = member(value, "choice");
  if (!choices || value.size() != 1) refuse("structured_outputs", "only {\"choice\": [...]} is supported");
  call.choices = texts(*choices, "structured_outputs", most_choices);
}

using Field = std::function<void(const json& value, CompletionRequest& call)>;

Field real(const char* name, double CompletionRequest::*member, double least, double most) {
  return [=](const json& value, CompletionRequest& call) { call.*member = number(value, name, least, most); };
}

Field flag(const char* name, bool CompletionRequest::*member) {
  return [=](const json& value, CompletionRequest& call) { call.*member = truth(value, name); };
}

Field whole_number(const char* name, int64_t CompletionRequest::*member, int64_t least, int64_t most) {
  return [=](const json& value, CompletionRequest& call) { call.*member = count(value, name, least, most); };
}

Field limit(const char* name) {
  return [=](const json& value, CompletionRequest& call) { call.max_tokens = count(value, name, 1, INT32_MAX); };
}

// A field that is not supported and must have a value without effect.
Field none(const char* name) {
  return [=](const json& value, CompletionRequest&) {
    const bool idle = value == json(0) || value == json(0.0) || value == json(false) || value == json("none") ||
                      (value.is_structured() && value.empty());
    if (!idle) refuse(name, "is not supported");
  };
}

void ignored(const json&, CompletionRequest&) {}

const std::map<std::string, Field>& fields() {
  static const std::map<std::string, Field> all{
      {"messages", read_messages},
      {"model", [](const json& value, CompletionRequest& call) { call.model = short_text(value, "model"); }},
      {"temperature", real("temperature", &CompletionRequest::temperature, 0, 100)},
      {"top_p", real("top_p", &CompletionRequest::top_p, 1e-6, 1)},
      {"min_p", real("min_p", &CompletionRequest::min_p, 0, 1)},
      {"repetition_penalty", real("repetition_penalty", &CompletionRequest::repetition_penalty, 1e-2, 100)},
      {"top_k",
       [](const json& value, CompletionRequest& call) {
         call.top_k = std::max<int64_t>(count(value, "top_k", -1, INT32_MAX), 0);
       }},
      {"max_tokens", limit("max_tokens")},
      {"max_completion_tokens", limit("max_completion_tokens")},
      {"n", whole_number("n", &CompletionRequest::n, 1, 128)},
      {"seed",
       [](const json& value, CompletionRequest& call) {
         call.seed = static_cast<uint64_t>(count(value, "seed", INT64_MIN, INT64_MAX));
       }},
      {"stop", read_stop},
      {"stream", flag("stream", &CompletionRequest::stream)},
      {"stream_options",
       [](const json& value, CompletionRequest& call) {
         if (const json* usage = member(value, "include_usage")) call.usage_in_stream = truth(*usage, "stream_options");
       }},
      {"logprobs", flag("logprobs", &CompletionRequest::log_probs)},
      {"top_logprobs", whole_number("top_logprobs", &CompletionRequest::top_logprobs, 0, 20)},
      {"response_format", read_format},
      {"structured_outputs", read_structured},
      {"presence_penalty", none("presence_penalty")},
      {"frequency_penalty", none("frequency_penalty")},
      {"logit_bias", none("logit_bias")},
      {"tools", none("tools")},
      {"tool_choice", none("tool_choice")},
      {"functions", none("functions")},
      {"function_call", none("function_call")},
      {"user", ignored},
      {"metadata", ignored},
      {"store", ignored},
      {"service_tier", ignored},
      {"safety_identifier", ignored},
      {"prompt_cache_key", ignored},
      {"parallel_tool_calls", ignored}};
  return all;
}

// Counts commas and opening brackets outside of strings: at least the number of values minus one.
size_t marks_in(const std::string& body) {
  size_t count = 0;
  bool quoted = false;
  for (size_t i = 0; i < body.size(); ++i) {
    const char c = body[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted) {
      count += c == ',' || c == '[' || c == '{' ? 1 : 0;
    }
  }
  return count;
}

json parsed(const std::string& body) {
  if (marks_in(body) > most_values)
    throw HttpError(400, fmt::format("the body contains more than {} values", most_values));
  try {
    return parse_json_object<json>(body, "the body");
  } catch (const Error& error) {
    throw HttpError(400, error.where() + " " + error.problem());
  }
}

}  // namespace

std::string HttpError::body() const {
  const auto or_null = [](const std::string& text) { return text.empty() ? json() : json(text); };
  const char* type = status == 401   ? "authentication_error"
                     : status == 429 ? "rate_limit_error"
                     : status >= 500 ? "server_error"
                                     : "invalid_request_error";
  const json error = {{"message", what()}, {"type", type}, {"param", or_null(param)}, {"code", or_null(code)}};
  return json{{"error", error}}.dump(-1, ' ', false, json::error_handler_t::replace);
}

CompletionRequest read_completion_request(const std::string& body) {
  const json given = parsed(body);
  CompletionRequest call;
  for (const auto& [name, value] : given.items()) {
    const auto field = fields().find(name);
    if (field == fields().end()) {
      std::vector<std::string> known;
      for (const auto& [one, read] : fields()) known.push_back(one);
      throw HttpError(400, "unknown field '" + name.substr(0, 60) + "'; " + suggest(name, known), name.substr(0, 60));
    }
    if (!value.is_null()) field->second(value, call);
  }
  if (call.messages.is_null()) throw HttpError(400, "messages: is missing", "messages");
  if (call.top_logprobs > 0 && !call.log_probs) refuse("top_logprobs", "requires \"logprobs\": true");
  return call;
}

}  // namespace compeer::serve
