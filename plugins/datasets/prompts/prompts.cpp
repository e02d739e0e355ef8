/// prompts: the user's own prompts, as JSON lines or a JSON list. A record has "prompt", a text, or "messages", a list
/// of {"role", "content"}; optionally "system", "reference" (the answer to learn), "id", "language", "split" and "meta"
/// (an object for rewards). A key with the value null counts as missing. The setting `format` selects the ShareGPT and
/// Alpaca layouts instead.
#include <algorithm>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "compeer/dataset.h"
#include "compeer/plugin.h"
#include "corpora/corpus.h"
#include "corpora/fields.h"
#include "corpora/json_records.h"
#include "corpora/sources.h"

namespace compeer::prompts {

namespace {

using nlohmann::json;

/// Thrown for a record whose keys belong to another layout. `help` says how to read it.
struct OtherLayout : corpora::Refusal {
  OtherLayout(const std::string& reason, std::string how) : Refusal(reason), help(std::move(how)) {}
  std::string help;
};

using corpora::Refusal;
using corpora::Role;

const std::vector<std::pair<std::string_view, Role>> share_gpt_roles = {
    {"system", Role::system}, {"human", Role::seeker},      {"user", Role::seeker},
    {"gpt", Role::supporter}, {"chatgpt", Role::supporter}, {"assistant", Role::supporter}};

// Common names of columns, and their names here.
constexpr std::pair<const char*, const char*> other_names[] = {
    {"question", "prompt"},  {"query", "prompt"},       {"input", "prompt"},         {"text", "prompt"},
    {"answer", "reference"}, {"response", "reference"}, {"completion", "reference"}, {"output", "reference"}};

bool blank(const json& object, const char* key) {
  return !object.contains(key) || object.at(key).is_null() || corpora::text_of(object, key).empty();
}

void add_system(const json& record, json& made) {
  if (!blank(record, "system")) made["system"] = record.at("system");
}

// Copies id, language and split; keys that belong to no layout go into "meta", for rewards.
json with_others(const json& record, std::initializer_list<std::string> taken, json made) {
  json meta = corpora::part_of(record, "meta");
  for (const auto& [key, value] : record.items()) {
    if (key == "meta" || key == "system" || std::find(taken.begin(), taken.end(), key) != taken.end()) continue;
    const bool ours = key == "id" || key == "language" || key == "split";
    (ours ? made : meta)[key] = value;
  }
  made["meta"] = std::move(meta);
  return made;
}

void say(json& messages, Role role, std::string text) {
  messages.push_back({{"role", corpora::chat_name(role)}, {"content", std::move(text)}});
}

// Returns a text unmodified, because white space matters in code. Throws Refusal if it is missing or blank.
std::string text_in(const json& object, const char* key) {
  if (corpora::text_of(object, key).empty()) throw Refusal("has an empty text '" + std::string(key) + "'");
  return object.at(key).get<std::string>();
}

// Converts a ShareGPT record: {"conversations": [{"from": "human" | "gpt" | "system", "value"}], "system"}, also with
// the keys "role" and "content" and the roles "user" and "assistant". Other keys go into "meta".
json from_sharegpt(const json& record) {
  json messages = json::array();
  corpora::each(corpora::list_of(record, "conversations"), "message", [&](const json& message, size_t) {
    const bool published = message.is_object() && message.contains("from");
    const char* text = published ? "value" : "content";
    const Role role = corpora::role_of(message, published ? "from" : "role", share_gpt_roles);
    if (role != Role::system || !blank(message, text)) say(messages, role, text_in(message, text));
  });
  json made{{"messages", std::move(messages)}};
  add_system(record, made);
  return with_others(record, {"conversations"}, std::move(made));
}

// Converts an Alpaca record: {"instruction", "input", "output", "system", "history": [[user, assistant]]}. The prompt
// is the instruction and, on a new line, the input. Other keys go into "meta".
json from_alpaca(const json& record) {
  json messages = json::array();
  if (record.is_object() && record.contains("history") && !record.at("history").is_null()) {
    corpora::each(corpora::list_of(record, "history"), "round", [&](const json& round, size_t) {
      if (!round.is_array() || round.size() != 2 || !round[0].is_string() || !round[1].is_string())
        throw Refusal("is not a pair of texts");
      say(messages, Role::seeker, round[0]), say(messages, Role::supporter, round[1]);
    });
  }
  auto prompt = text_in(record, "instruction");
  if (!blank(record, "input")) prompt += "\n" + record.at("input").get<std::string>();
  say(messages, Role::seeker, std::move(prompt));
  json made{{"messages", std::move(messages)}};
  if (record.contains("output") && !record.at("output").is_null()) made["reference"] = text_in(record, "output");
  add_system(record, made);
  return with_others(record, {"instruction", "input", "output", "history"}, std::move(made));
}

// Throws OtherLayout for a record in ShareGPT's or Alpaca's layout, or with a common other name for prompt or
// reference.
void refuse_other_layouts(const json& record) {
  const auto reads = [](const std::string& format) {
    return "set format = \"" + format + "\" in [dataset], or --set dataset.format=" + format;
  };
  const bool prompted = record.contains("prompt") || record.contains("messages");
  if (!prompted && record.contains("conversations"))
    throw OtherLayout("is a ShareGPT record (key 'conversations')", reads("sharegpt"));
  if (!prompted && record.contains("instruction"))
    throw OtherLayout("is an Alpaca record (key 'instruction')", reads("alpaca"));
  std::string names, columns = prompted && record.contains("prompt") ? "prompt" : "";
  for (const auto& [name, ours] : other_names) {
    const bool known = record.contains(ours) || (prompted && ours == std::string("prompt"));
    if (known || !record.contains(name) || columns.find(ours) != std::string::npos) continue;
    names += (names.empty() ? "'" : " and '") + std::string(name) + "' in place of '" + ours + "'";
    columns += (columns.empty() ? "" : ", ") + std::string(ours) + ": ." + name;
  }
  if (!names.empty() && !record.contains("messages"))
    throw OtherLayout("has " + names, "rename the keys: jq -c '{" + columns + "}' OLD.jsonl >NEW.jsonl");
}

}  // namespace

}  // namespace compeer::prompts

namespace {

using namespace compeer;
using corpora::Refusal;
using corpora::Role;
using nlohmann::json;
using prompts::text_in;

const std::vector<std::string> keys = {"id", "prompt", "messages", "system", "language", "reference", "meta", "split"};
const std::vector<std::string> message_keys = {"role", "content"};
const std::vector<std::pair<std::string_view, Role>> roles = {
    {"system", Role::system}, {"user", Role::seeker}, {"assistant", Role::supporter}};
const std::map<std::string, std::string> readings = {
    {"prompts", "'prompt' or 'messages'"}, {"sharegpt", "'conversations'"}, {"alpaca", "'instruction'"}};
const std::vector<std::string> split_names = {"train", "valid", "test"};

bool is_one_of(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Returns the text in quotes, escaped as in JSON, for messages.
std::string shown(const std::string& text) {
  const std::string written = json(text).dump();
  return "'" + written.substr(1, written.size() - 2) + "'";
}

// Throws Refusal for unknown keys, which would be ignored otherwise. Removes keys with the value null, which tables
// written by Python have.
void check_keys(json& object, const std::vector<std::string>& known) {
  if (!object.is_object()) throw Refusal("is not a JSON object");
  std::erase_if(object.get_ref<json::object_t&>(), [](const auto& member) { return member.second.is_null(); });
  for (const auto& item : object.items()) {
    if (is_one_of(item.key(), known)) continue;
    const auto near = nearest(item.key(), known);
    throw Refusal("has the unknown key " + shown(item.key()) + (near.empty() ? "" : " (did you mean '" + near + "'?)") +
                  ": put your own keys into 'meta'");
  }
}

std::string text_if_any(const json& object, const char* key) {
  return object.contains(key) ? text_in(object, key) : "";
}

std::vector<Turn> messages_in(const json& record) {
  std::vector<Turn> turns;
  corpora::each(corpora::list_of(record, "messages"), "message", [&](json message, size_t at) {
    check_keys(message, message_keys);
    const Role role = corpora::role_of(message, "role", roles);
    if (role == Role::system && at > 0) throw Refusal("is a system message: only the first message may be one");
    turns.push_back({corpora::chat_name(role), text_in(message, "content")});
  });
  return turns;
}

std::vector<Turn> turns_in(const json& record) {
  const bool has_prompt = record.contains("prompt"), has_messages = record.contains("messages");
  if (has_prompt == has_messages)
    throw Refusal(has_prompt ? "has both 'prompt' and 'messages': use one of them"
                             : "has neither 'prompt' nor 'messages'");
  auto turns = has_prompt ? std::vector<Turn>{{"user", text_in(record, "prompt")}} : messages_in(record);
  if (!record.contains("system")) return turns;
  if (!turns.empty() && turns.front().role == "system")
    throw Refusal("has both 'system' and a system message: use only one of them");
  turns.insert(turns.begin(), {"system", text_in(record, "system")});
  return turns;
}

std::string id_in(const json& record) {
  const auto id = record.find("id");
  return id != record.end() && id->is_number() ? id->dump() : text_if_any(record, "id");
}

std::string split_in(const json& record) {
  auto split = text_if_any(record, "split");
  if (!split.empty() && !is_one_of(split, split_names))
    throw Refusal("has the split " + shown(split) + ", not one of " + corpora::listed(split_names));
  return split;
}

json ours(json record, const std::string& format) {
  if (!record.is_object()) throw Refusal("is not a JSON object");
  if (format == "sharegpt") return prompts::from_sharegpt(record);
  if (format == "alpaca") return prompts::from_alpaca(record);
  prompts::refuse_other_layouts(record);
  return record;
}

// Converts a record by itself; its id may be empty.
Example example_of(json record) {
  check_keys(record, keys);
  Example example{id_in(record), turns_in(record), text_if_any(record, "reference"), {{"source", "prompts"}}};
  auto& turns = example.history;
  if (!turns.empty() && turns.back().role == "assistant") {
    if (!example.answer.empty())
      throw Refusal("has both 'reference' and an assistant message at the end: use only one of them");
    example.answer = std::move(turns.back().text);
    turns.pop_back();
  }
  if (turns.empty() || turns.back().role != "user")
    throw Refusal("must end with a user message, or with a user message and the answer to it");
  example.record["meta"] = corpora::part_of(record, "meta");
  const auto language = text_if_any(record, "language"), split = split_in(record);
  if (!language.empty()) example.record["language"] = language;
  if (!split.empty()) example.record["split"] = split;
  return example;
}

class Prompts : public Dataset {
 public:
  Prompts(const Settings& settings, Host& host)
      : format_(settings.text("format")), valid_(settings.number("valid")), test_(settings.number("test")) {
    if (valid_ + test_ > 1) throw Error("prompts", "'valid' + 'test' must not exceed 1", "", Exit::spec);
    const auto path = settings.text("path");
    std::vector<std::string> others;
    files_ = corpora::sources(path, {".json", ".jsonl"}, others);
    if (!others.empty())
      host.log(path + ": " + corpora::listed(others) + (others.size() > 1 ? " are" : " is") +
               " not read: other files here are named after splits");
    for (size_t file = 0; file < files_.size(); ++file) {
      corpora::read_records(files_[file].file, left_out_, [&](json record, const corpora::RawRecord& raw) {
        try {
          take(std::move(record), file, raw);
        } catch (const prompts::OtherLayout& other) {
          if (help_.empty()) help_ = other.help;
          throw;
        }
      });
    }
    if (left_out_.empty() && ids_.empty()) throw Error(path, "contains no record", "", Exit::data);
    corpora::check_unreadable(
        left_out_, ids_.size(), path, settings.number("max_unreadable"),
        help_.empty() ? "use JSON lines or a JSON list of records with " + readings.at(format_) : help_);
    ids_ = {};
  }

  int64_t size(const std::string& split) const override {
    const auto found = splits_.find(split);
    return found == splits_.end() ? 0 : static_cast<int64_t>(found->second.size());
  }

  Example get(const std::string& split, int64_t index) override {
    const LineAt& place = splits_.at(split).at(static_cast<size_t>(index));
    return example_at(place, corpora::parse(place.bytes, place.offset));
  }

  std::vector<Unreadable> unreadable() const override { return left_out_; }

 private:
  struct LineAt {
    size_t file = 0;
    int64_t number = 0;
    uint64_t offset = 0;
    std::string_view bytes;  // the record's bytes; owned by `arena_`
  };

  void take(json record, size_t file, const corpora::RawRecord& raw) {
    LineAt place{file, raw.number, raw.offset, {}};
    const Example example = example_at(place, std::move(record));
    const auto [first, added] = ids_.emplace(example.id, place);
    if (!added) throw Refusal("has the same id " + shown(example.id) + " as " + named(first->second, file));
    place.bytes = arena_.keep(raw.bytes);
    const auto split = example.record.find("split");
    const bool said = split != example.record.end();
    splits_[said ? split->get<std::string>() : corpora::split_of(example.id, valid_, test_)].push_back(place);
  }

  Example example_at(const LineAt& place, json record) const {
    Example example = example_of(ours(std::move(record), format_));
    const corpora::CorpusFile& file = files_[place.file];
    if (example.id.empty()) example.id = file.name + "/" + std::to_string(place.number);
    if (file.split.empty()) return example;
    const std::string said = example.record.value("split", file.split);
    if (said != file.split)
      throw Refusal("has the split '" + said + "', but its file is named after '" + file.split + "'");
    example.record["split"] = file.split;
    return example;
  }

  // Returns "record 3", with its file unless it is file number `from`.
  std::string named(const LineAt& place, size_t from) const {
    const std::string record = "record " + std::to_string(place.number);
    return place.file == from ? record : record + " of " + files_[place.file].file.string();
  }

  const std::string format_;
  const double valid_, test_;
  std::string help_;  // how to read records of another layout, if there are any
  std::vector<corpora::CorpusFile> files_;
  corpora::ByteArena arena_;
  std::map<std::string, std::vector<LineAt>> splits_;
  std::unordered_map<std::string, LineAt> ids_;  // used while files are read
  std::vector<Unreadable> left_out_;
};

}  // namespace

COMPEER_PLUGIN(Dataset, datasets, prompts, Prompts, R"json(
  "version": "1.0.0",
  "summary": "Your own prompts: texts or conversations, with or without a reference answer.",
  "parameters": {
    "path": {"type": "path", "help": "JSON lines or a JSON list, or a folder with .json and .jsonl files"},
    "format": {"type": "string", "default": "prompts", "choices": ["prompts", "sharegpt", "alpaca"],
      "help": "layout of the records: Compeer's, ShareGPT's ('conversations') or Alpaca's ('instruction')"},
    "valid": {"type": "number", "default": 0.1, "min": 0, "max": 1,
      "help": "share of records assigned to the split valid, unless a file's name or the record gives the split"},
    "test": {"type": "number", "default": 0.1, "min": 0, "max": 1,
      "help": "share of records assigned to the split test, likewise"},
    "max_unreadable": {"type": "number", "default": 0.01, "min": 0, "max": 1,
      "help": "maximum share of records that are left out because they can't be read"}
  })json")
