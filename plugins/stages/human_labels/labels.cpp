// Labels by people, and steps made from them.
#include "stages/human_labels/labels.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/error.h"
#include "stages/records.h"

namespace compeer::stages {

namespace {

using nlohmann::json;

const json nothing = nullptr;

const json& member(const json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found == object.end() ? nothing : *found;
}

// Appends a value, or each value of a list.
void add(const json& value, std::vector<std::string>& all) {
  if (value.is_array()) {
    for (const json& one : value) add(one, all);
    return;
  }
  if (!value.is_string() && !value.is_number()) return;
  auto text = value.is_string() ? value.get<std::string>() : value.dump();
  if (!text.empty() && std::find(all.begin(), all.end(), text) == all.end()) all.push_back(std::move(text));
}

// False for names of fields that describe the record, not the round.
bool is_label(const std::string& name) {
  static const std::set<std::string> others = {"id",    "dialogue", "split",   "source",   "language",
                                               "round", "rounds",   "history", "reference"};
  return !others.contains(name);
}

// Returns the objects that contain labels, in the order of the search.
std::array<const json*, 3> places_of(const json& record) {
  return {&member(member(record, "seeker"), "before"), &record, &member(record, "labels")};
}

}  // namespace

std::vector<std::string> labels_of(const json& record, const std::string& name) {
  std::vector<std::string> all;
  if (!is_label(name)) return all;
  for (const json* labels : places_of(record)) {
    if (all.empty()) add(member(*labels, name.c_str()), all);
  }
  return all;
}

std::string names_of(const json& record) {
  std::set<std::string> names;
  for (const json* labels : places_of(record)) {
    for (const auto& [name, value] : labels->items()) {
      if (!labels_of(record, name).empty()) names.insert(name);
    }
  }
  std::string all;
  for (const auto& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

LabelTemplate::LabelTemplate(const std::string& setting, const std::string& text) {
  size_t at = 0;
  while (at < text.size()) {
    const size_t open = text.find('{', at), close = open == std::string::npos ? open : text.find('}', open);
    if (open != std::string::npos && close == std::string::npos)
      throw Error("human_labels", "'" + setting + "' has an opening brace without a closing one: " + text, "",
                  Exit::spec);
    if (open == std::string::npos) break;
    pieces_.push_back({text.substr(at, open - at), text.substr(open + 1, close - open - 1)});
    if (pieces_.back().label.empty())
      throw Error("human_labels", "'" + setting + "' has braces without a label: " + text,
                  "write labels in braces, as in \"{emotion}\"", Exit::spec);
    at = close + 1;
  }
  if (pieces_.empty())
    throw Error("human_labels", "'" + setting + "' contains no label: " + text,
                "write labels in braces, as in \"{emotion}\"", Exit::spec);
  pieces_.push_back({text.substr(at), ""});
}

LabelTemplate::Step LabelTemplate::of(const json& record) const {
  Step step;
  for (const Piece& piece : pieces_) {
    step.text += piece.text;
    if (piece.label.empty()) continue;
    const auto values = labels_of(record, piece.label);
    if (values.empty()) return {"", {}, piece.label};
    for (size_t i = 0; i < values.size(); ++i) step.text += (i > 0 ? ", " : "") + values[i];
    step.values.insert(step.values.end(), values.begin(), values.end());
  }
  step.text = one_line(step.text);
  return step;
}

bool is_right(const json& record) {
  return member(record, "people").is_object() && member(record, "steps") == json{{true, true, true}} &&
         member(record, "preference") == "second";
}

bool disjoint(const std::vector<std::string>& one, const std::vector<std::string>& other) {
  return std::none_of(one.begin(), one.end(), [&](const std::string& value) {
    return std::find(other.begin(), other.end(), value) != other.end();
  });
}

}  // namespace compeer::stages
