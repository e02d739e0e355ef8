/// prompts: prompts of one's own, as JSON lines or a JSON list. A record has "prompt", a text, or "messages", a list of
/// {"role", "content"}. It may have "system", "reference" (the answer to learn from), "id", "language", "split" and
/// "meta", an object for rewards to read. A key whose value is null counts as missing. ShareGPT's and Alpaca's layouts
/// are read with the setting `format`.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/error.h"
#include "compeer/dataset.h"
#include "compeer/plugin.h"
#include "corpora/corpus_cache.h"
#include "corpora/left_out.h"
#include "corpora/sources.h"
#include "datasets/prompts/layouts.h"

namespace {

using namespace compeer;
using corpora::Refusal;
using corpora::Role;
using nlohmann::json;
using prompts::text_in;

const std::vector<std::string> kKeys = {"id", "prompt", "messages", "system", "language", "reference", "meta", "split"};
const std::vector<std::string> kMessageKeys = {"role", "content"};
const std::vector<std::pair<std::string_view, Role>> kRoles = {
    {"system", Role::system}, {"user", Role::seeker}, {"assistant", Role::supporter}};
const std::map<std::string, std::string> kRead = {
    {"prompts", "'prompt' or 'messages'"}, {"sharegpt", "'conversations'"}, {"alpaca", "'instruction'"}};
const std::vector<std::string> kSplits = {"train", "valid", "test"};

bool is_one_of(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// As JSON writes it: no zero byte or line end in a message.
std::string shown(const std::string& text) {
  const std::string written = json(text).dump();
  return "'" + written.substr(1, written.size() - 2) + "'";
}

// Refuses keys that nobody would read. Tables written by Python have null where a row has no value.
void check_keys(json& object, const std::vector<std::string>& known) {
  if (!object.is_object()) throw Refusal("is no JSON object");
  std::erase_if(object.get_ref<json::object_t&>(), [](const auto& member) { return member.second.is_null(); });
  for (const auto& item : object.items()) {
    if (is_one_of(item.key(), known)) continue;
    const auto near = nearest(item.key(), known);
    throw Refusal("has the unknown key " + shown(item.key()) + (near.empty() ? "" : " (did you mean '" + near + "'?)") +
                  ": put what is your own into 'meta'");
  }
}

std::string text_if_any(const json& object, const char* key) {
  return object.contains(key) ? text_in(object, key) : "";
}

std::vector<Turn> messages_in(const json& record) {
  std::vector<Turn> turns;
  corpora::each(corpora::list_of(record, "messages"), "message", [&](json message, size_t at) {
    check_keys(message, kMessageKeys);
    const Role role = corpora::role_of(message, "role", kRoles);
    if (role == Role::system && at > 0) throw Refusal("is a system message, which only the first may be");
    turns.push_back({corpora::chat_name(role), text_in(message, "content")});
  });
  return turns;
}

std::vector<Turn> turns_in(const json& record) {
  const bool has_prompt = record.contains("prompt"), has_messages = record.contains("messages");
  if (has_prompt == has_messages)
    throw Refusal(has_prompt ? "has both 'prompt' and 'messages': it needs one of them"
                             : "has neither 'prompt' nor 'messages'");
  auto turns = has_prompt ? std::vector<Turn>{{"user", text_in(record, "prompt")}} : messages_in(record);
  if (!record.contains("system")) return turns;
  if (!turns.empty() && turns.front().role == "system")
    throw Refusal("has both 'system' and a system message: it needs one of them at most");
  turns.insert(turns.begin(), {"system", text_in(record, "system")});
  return turns;
}

std::string id_in(const json& record) {
  const auto id = record.find("id");
  return id != record.end() && id->is_number() ? id->dump() : text_if_any(record, "id");
}

std::string split_in(const json& record) {
  auto split = text_if_any(record, "split");
  if (!split.empty() && !is_one_of(split, kSplits))
    throw Refusal("has the split " + shown(split) + ", which is none of " + corpora::listed(kSplits));
  return split;
}

json ours(json record, const std::string& format) {
  if (!record.is_object()) throw Refusal("is no JSON object");
  if (format == "sharegpt") return prompts::from_sharegpt(record);
  if (format == "alpaca") return prompts::from_alpaca(record);
  prompts::refuse_other_layouts(record);
  return record;
}

// What a record says by itself; its id may be empty.
Example example_of(json record) {
  check_keys(record, kKeys);
  Example example{id_in(record), turns_in(record), text_if_any(record, "reference"), {{"source", "prompts"}}};
  auto& turns = example.history;
  if (!turns.empty() && turns.back().role == "assistant") {
    if (!example.answer.empty())
      throw Refusal("has both 'reference' and an assistant message at the end: it needs one of them at most");
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
      host.log(path + ": other files are named after splits, so " + corpora::listed(others) +
               (others.size() > 1 ? " are not read" : " is not read"));
    for (size_t file = 0; file < files_.size(); ++file) {
      corpora::read_records(files_[file].file, left_out_, [&](json record, const corpora::Raw& raw) {
        try {
          take(std::move(record), file, raw);
        } catch (const prompts::OtherLayout& other) {
          if (help_.empty()) help_ = other.help;
          throw;
        }
      });
    }
    if (left_out_.empty() && ids_.empty()) throw Error(path, "holds no record", "", Exit::data);
    corpora::refuse_too_many(
        left_out_, ids_.size(), path, settings.number("max_unreadable"),
        help_.empty() ? "JSON lines or a JSON list are read, of records with " + kRead.at(format_) : help_);
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
    std::string_view bytes;  // as they stand in the file
  };

  void take(json record, size_t file, const corpora::Raw& raw) {
    LineAt place{file, raw.number, raw.offset, {}};
    const Example example = example_at(place, std::move(record));
    const auto [first, added] = ids_.emplace(example.id, place);
    if (!added) throw Refusal("has the id " + shown(example.id) + ", which " + named(first->second, file) + " has");
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
      throw Refusal("has the split '" + said + "', but its file's name says '" + file.split + "'");
    example.record["split"] = file.split;
    return example;
  }

  // "record 3", seen from another record of the same file.
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
  std::unordered_map<std::string, LineAt> ids_;  // while files are read
  std::vector<Unreadable> left_out_;
};

}  // namespace

COMPEER_PLUGIN(Dataset, datasets, prompts, Prompts, R"json(
  "version": "1.0.0",
  "summary": "Prompts of one's own: a text or a conversation each, with or without a reference.",
  "parameters": {
    "path": {"type": "path", "help": "JSON lines or a JSON list, or a folder with .json and .jsonl files"},
    "format": {"type": "string", "default": "prompts", "choices": ["prompts", "sharegpt", "alpaca"],
      "help": "layout of the records: our own, or that of other programs, with 'conversations' or 'instruction'"},
    "valid": {"type": "number", "default": 0.1, "min": 0, "max": 1,
      "help": "share of the records in the split valid, where neither a file's name nor the record says the split"},
    "test": {"type": "number", "default": 0.1, "min": 0, "max": 1, "help": "likewise of the split test"},
    "max_unreadable": {"type": "number", "default": 0.01, "min": 0, "max": 1,
      "help": "share of records that may be left out because they can't be read"}
  })json")
