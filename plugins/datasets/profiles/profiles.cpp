/// profiles: unchanged records of a file: role cards and profiles to be played, or recorded dialogues and judgements.
/// The file contains JSON lines, a JSON list, or a JSON object of records by name; in the latter a list becomes the
/// record {"lines": list}.
#include <algorithm>
#include <iterator>
#include <map>

#include "base/error.h"
#include "base/files.h"
#include "compeer/dataset.h"
#include "compeer/plugin.h"
#include "corpora/json_records.h"

namespace {

using namespace compeer;
using nlohmann::json;

constexpr uint64_t largest = uint64_t{1} << 30;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";  // of UTF-8; some editors add it

// True if the file is one JSON object and not JSON lines, which also begin with a brace.
bool is_one_object(std::string_view text) {
  constexpr const char* space = " \t\r\n";
  const size_t first = text.find_first_not_of(space);
  if (first == text.npos || text[first] != '{') return false;
  const size_t line = text.find('\n', first), next = line == text.npos ? line : text.find_first_not_of(space, line);
  return next == text.npos || (text[next] != '{' && !json::accept(text.substr(first, line - first)));
}

// True if an object contains records by name and is not itself a record.
bool holds_records(const json& object) {
  if (object.empty() || object.contains("id")) return false;
  const auto is_text = [](const json& value) { return value.is_string(); };
  return std::all_of(object.begin(), object.end(), [&](const json& value) {
    return value.is_object() || (value.is_array() && std::all_of(value.begin(), value.end(), is_text));
  });
}

class Profiles : public Dataset {
 public:
  Profiles(const Settings& settings, Host&) : path_(settings.text("path")), numbers_told_(settings.flag("numbers")) {
    read();
    if (left_out_.empty() && numbers_.empty()) throw Error(path_, "contains no record", "", Exit::data);
    corpora::check_unreadable(left_out_, numbers_.size(), path_, settings.number("max_unreadable"),
                              "use JSON lines, a JSON list, or a JSON object of records by their names");
  }

  int64_t size(const std::string& split) const override {
    const auto found = splits_.find(split);
    return found == splits_.end() ? 0 : std::ssize(found->second);
  }

  Example get(const std::string& split, int64_t index) override {
    json record = json::parse(splits_.at(split).at(static_cast<size_t>(index)));
    const std::string id = record.at("id");
    return {id, {}, "", std::move(record)};
  }

  std::vector<Unreadable> unreadable() const override { return left_out_; }

 private:
  void read() {
    const std::string bytes = read_file(path_, largest);
    const size_t mark = bytes.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
    const auto text = std::string_view(bytes).substr(mark);
    if (is_one_object(text)) {
      taking(1, [&] { take_object(corpora::parse(text, mark)); });
    } else {
      corpora::read_records(path_, left_out_, [&](json record, const corpora::RawRecord& raw) {
        add(std::move(record), raw.number, "");
      });
    }
  }

  // Calls f(); a Refusal makes the record unreadable.
  template <class F>
  void taking(int64_t number, F&& f) {
    try {
      f();
    } catch (const corpora::Refusal& refusal) {
      left_out_.push_back({path_, number, refusal.what()});
    }
  }

  void take_object(json object) {
    if (!holds_records(object)) return add(std::move(object), 1, "");
    int64_t number = 0;
    for (auto& [name, value] : object.items()) {
      ++number;
      taking(number, [&, &name = name, &value = value] {
        add(value.is_array() ? json{{"lines", std::move(value)}} : std::move(value), number, name);
      });
    }
  }

  void add(json record, int64_t number, const std::string& name) {
    if (!record.is_object()) throw corpora::Refusal("is not a JSON object");
    std::string id = corpora::id_of(record, "id");
    if (id.empty()) id = name.empty() ? std::to_string(number) : name;
    const auto [known, added] = numbers_.emplace(id, number);
    if (!added) throw corpora::Refusal("has the same id '" + id + "' as record " + std::to_string(known->second));
    record["id"] = id;
    if (numbers_told_) record["number"] = number;
    const auto split = record.find("split");
    const bool told = split != record.end() && (*split == "train" || *split == "valid");
    splits_[told ? split->get<std::string>() : "test"].push_back(record.dump());
  }

  const std::string path_;
  const bool numbers_told_;
  std::map<std::string, std::vector<std::string>> splits_;  // records as JSON, by split
  std::map<std::string, int64_t> numbers_;                  // record numbers by id
  std::vector<Unreadable> left_out_;
};

}  // namespace

COMPEER_PLUGIN(Dataset, datasets, profiles, Profiles, R"json(
  "version": "1.0.0",
  "summary": "Records of a file, unchanged: role cards, profiles, recorded dialogues, judgements.",
  "parameters": {
    "path": {"type": "path", "help": "JSON lines, a JSON list, or a JSON object of records by their names"},
    "numbers": {"type": "boolean", "default": false,
      "help": "add the record's number in the file, from 1, as 'number'"},
    "max_unreadable": {"type": "number", "default": 0.01, "min": 0, "max": 1,
      "help": "maximum share of records that are left out because they can't be read"}
  })json")
