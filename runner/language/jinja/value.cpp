// Values of templates: conversion, comparison and limits on their size.
#include "language/jinja/value.h"

#include <algorithm>
#include <cmath>

namespace compeer::language::jinja {

namespace {

constexpr size_t heaviest = size_t{1} << 22;
constexpr int deepest = 64;

void check(size_t weight, int depth) {
  if (weight > heaviest)
    throw TemplateError("a list or dictionary grows beyond " + std::to_string(heaviest) + " parts");
  if (depth > deepest)
    throw TemplateError("lists and dictionaries nest more than " + std::to_string(deepest) + " levels");
}

}  // namespace

Value::Value(List list) : any_(std::make_shared<const List>(std::move(list))) {}
Value::Value(Dict dict) : any_(std::make_shared<const Dict>(std::move(dict))) {}
Value::Value(Callable callable) : any_(std::make_shared<const Callable>(std::move(callable))) {}

double Value::decimal() const {
  if (const auto* v = std::get_if<bool>(&any_)) return *v ? 1 : 0;
  if (const auto* v = std::get_if<int64_t>(&any_)) return static_cast<double>(*v);
  if (const auto* v = std::get_if<double>(&any_)) return *v;
  throw TemplateError(std::string(kind()) + " is not a number");
}

int64_t Value::integer(const char* what) const {
  if (const auto* v = std::get_if<bool>(&any_)) return *v ? 1 : 0;
  if (const auto* v = std::get_if<int64_t>(&any_)) return *v;
  throw TemplateError(std::string(what) + " must be an integer, not " + kind());
}

bool Value::truth() const {
  if (undefined() || none()) return false;
  if (number()) return decimal() != 0;
  if (text()) return !text()->empty();
  if (list()) return !list()->items.empty();
  if (dict()) return !dict()->members.empty();
  return true;
}

const char* Value::kind() const {
  static constexpr const char* names[] = {
      "an undefined value", "none",        "a boolean",  "an integer", "a float", "a string", "a list",
      "a dictionary",       "a namespace", "a function", "a loop"};
  return names[any_.index()];
}

size_t Value::weight() const {
  if (text()) return 1 + text()->size() / 64;
  if (list()) return list()->weight;
  if (dict()) return dict()->weight;
  return 1;
}

int Value::depth() const { return list() ? list()->depth : dict() ? dict()->depth : 0; }

List::List(std::vector<Value> values, bool is_tuple) : items(std::move(values)), tuple(is_tuple), weight(1), depth(1) {
  for (const Value& item : items) {
    weight += item.weight();
    depth = std::max(depth, 1 + item.depth());
    check(weight, depth);
  }
}

Dict::Dict(std::vector<Member> given) : members(std::move(given)), weight(1), depth(1) {
  for (const auto& [key, value] : members) {
    if (key.list() || key.dict() || key.space())
      throw TemplateError(std::string(key.kind()) + " can't be the key of a dictionary");
    weight += key.weight() + value.weight();
    depth = std::max(depth, 1 + value.depth());
    check(weight, depth);
  }
  if (members.size() > 1000) return;  // only JSON data is that large, and it has no duplicate keys
  for (size_t i = 0; i < members.size(); ++i) {
    for (size_t j = members.size() - 1; j > i; --j) {
      if (!equal(members[i].first, members[j].first)) continue;
      members[i].second = members[j].second;
      members.erase(members.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
}

const Value* Dict::find(const Value& key) const {
  for (const auto& [name, value] : members) {
    if (equal(name, key)) return &value;
  }
  return nullptr;
}

const Value* Dict::find(std::string_view key) const {
  for (const auto& [name, value] : members) {
    if (name.text() && name.text()->bytes() == key) return &value;
  }
  return nullptr;
}

const Value* Arguments::find(size_t i, std::string_view name) const {
  if (i < positional.size()) return &positional[i];
  for (const auto& [given, value] : named) {
    if (given == name) return &value;
  }
  return nullptr;
}

Value Arguments::get(size_t i, std::string_view name, Value otherwise) const {
  const Value* found = find(i, name);
  return found ? *found : otherwise;
}

void Arguments::expect(const std::string& function, std::initializer_list<std::string_view> names) const {
  if (positional.size() > names.size())
    throw TemplateError(function + " takes at most " + std::to_string(names.size()) + " arguments here");
  for (const auto& [name, value] : named) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw TemplateError(function + " takes no argument '" + name + "' here");
  }
}

Value value_of(const nlohmann::ordered_json& json) {
  if (json.is_null()) return nullptr;
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_number_unsigned() && json.get<uint64_t>() > INT64_MAX)
    throw TemplateError("the number " + json.dump() + " needs more than 64 bits");
  if (json.is_number()) return json.get<int64_t>();
  if (json.is_string()) return Text(json.get_ref<const std::string&>(), true);
  if (json.is_array()) {
    std::vector<Value> items;
    for (const auto& item : json) items.push_back(value_of(item));
    return List(std::move(items));
  }
  std::vector<Dict::Member> members;
  for (const auto& [name, value] : json.items()) members.emplace_back(Text(name, true), value_of(value));
  return Dict(std::move(members));
}

bool equal(const Value& a, const Value& b) {
  if (a.number() && b.number()) {
    if (a.is<double>() || b.is<double>()) return a.decimal() == b.decimal();
    return a.integer("") == b.integer("");
  }
  if (a.any().index() != b.any().index()) return false;
  if (a.undefined() || a.none()) return true;
  if (a.text()) return a.text() == b.text() || a.text()->bytes() == b.text()->bytes();
  if (a.list()) {
    const auto &x = *a.list(), &y = *b.list();
    return &x == &y ||
           (x.tuple == y.tuple && std::equal(x.items.begin(), x.items.end(), y.items.begin(), y.items.end(), equal));
  }
  if (a.dict()) {
    const auto &x = *a.dict(), &y = *b.dict();
    if (&x == &y) return true;
    return x.members.size() == y.members.size() &&
           std::all_of(x.members.begin(), x.members.end(), [&](const Dict::Member& member) {
             const Value* other = y.find(member.first);
             return other && equal(member.second, *other);
           });
  }
  return a.space() == b.space() && a.callable() == b.callable() && a.loop() == b.loop();
}

int compare(const Value& a, const Value& b) {
  if (a.number() && b.number()) {
    if (a.is<double>() || b.is<double>()) {
      const double x = a.decimal(), y = b.decimal();
      return x < y ? -1 : x > y ? 1 : 0;
    }
    const int64_t x = a.integer(""), y = b.integer("");
    return x < y ? -1 : x > y ? 1 : 0;
  }
  if (a.text() && b.text()) {
    const int order = a.text()->bytes().compare(b.text()->bytes());
    return order < 0 ? -1 : order > 0 ? 1 : 0;
  }
  if (a.list() && b.list()) {
    const auto &x = a.list()->items, &y = b.list()->items;
    for (size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
      if (!equal(x[i], y[i])) return compare(x[i], y[i]);
    }
    return x.size() < y.size() ? -1 : x.size() > y.size() ? 1 : 0;
  }
  throw TemplateError(std::string(a.kind()) + " and " + b.kind() + " can't be compared");
}

std::shared_ptr<const List> items_of(const Value& value) {
  if (const auto* list = std::get_if<std::shared_ptr<const List>>(&value.any())) return *list;
  std::vector<Value> items;
  if (const Text* text = value.text()) {
    const auto starts = character_starts(*text);
    for (size_t i = 0; i + 1 < starts.size(); ++i) items.push_back(text->substr(starts[i], starts[i + 1]));
  } else if (const Dict* dict = value.dict()) {
    for (const auto& [key, member] : dict->members) items.push_back(key);
  } else if (!value.undefined()) {
    throw TemplateError(std::string(value.kind()) + " can't be iterated over");
  }
  return std::make_shared<const List>(std::move(items));
}

}  // namespace compeer::language::jinja
