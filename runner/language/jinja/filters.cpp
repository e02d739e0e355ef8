// Jinja's filters. The table at the end lists them.
#include "language/jinja/filters.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "language/jinja/access.h"
#include "language/jinja/printing.h"
#include "language/jinja/tests.h"

namespace compeer::language::jinja {

namespace {

using Filter = Value (*)(const Value& value, const Arguments& arguments);
using Items = std::vector<Value>;

Items items(const Value& value) { return items_of(value)->items; }

bool flag(const Arguments& arguments, size_t i, std::string_view name, bool otherwise) {
  return arguments.get(i, name, otherwise).truth();
}

// Returns the part of an item at a path: "name", "function.name" or a number.
Value part_of(const Value& item, const Value& path) {
  if (!path.text()) return get_item(item, path);
  Value at = item;
  for (const Text& name : split(*path.text(), ".", Text::limit)) {
    int64_t index = 0;
    const char* end = name.bytes().data() + name.size();
    const bool number = !name.empty() && std::from_chars(name.bytes().data(), end, index).ptr == end;
    at = number ? get_item(at, index) : get_item(at, Value(name));
  }
  return at;
}

Arguments rest(const Arguments& arguments, size_t skip) {
  Arguments result = arguments;
  result.positional.erase(result.positional.begin(), result.positional.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                                     skip, result.positional.size())));
  return result;
}

std::string name_at(const Arguments& arguments, size_t i, const char* filter) {
  if (arguments.positional.size() <= i || !arguments.positional[i].text())
    throw TemplateError(std::string("the filter '") + filter + "' requires a name");
  return arguments.positional[i].text()->bytes();
}

// select, reject, selectattr and rejectattr: the items for which a test is `wanted`; if `attribute`, the test is
// applied to a part of each item.
Value chosen(const Value& value, const Arguments& arguments, bool attribute, bool wanted) {
  const size_t first = attribute ? 1 : 0;
  if (attribute && arguments.positional.empty())
    throw TemplateError("selectattr and rejectattr require the name of an attribute");
  const bool has_test = arguments.positional.size() > first;
  const std::string test = has_test ? name_at(arguments, first, "select") : "";
  const Arguments for_test = rest(arguments, first + 1);
  Items kept;
  for (const Value& item : items(value)) {
    const Value at = attribute ? part_of(item, arguments.positional[0]) : item;
    if ((has_test ? apply_test(test, at, for_test) : at.truth()) == wanted) kept.push_back(item);
  }
  return List(std::move(kept));
}

Value map_filter(const Value& value, const Arguments& arguments) {
  Items mapped;
  const Value* attribute = arguments.find(SIZE_MAX, "attribute");
  const std::string filter = attribute ? "" : name_at(arguments, 0, "map");
  const Arguments for_filter = rest(arguments, 1);
  for (const Value& item : items(value)) {
    if (attribute) {
      const Value part = part_of(item, *attribute);
      mapped.push_back(part.undefined() ? arguments.get(SIZE_MAX, "default", part) : part);
    } else {
      mapped.push_back(apply_filter(filter, item, for_filter));
    }
  }
  return List(std::move(mapped));
}

// The key that sort, min, max and unique compare: a part of the item if "attribute" is given; texts are lower-cased
// unless "case_sensitive".
Value sort_key(const Value& item, const Arguments& arguments, size_t case_at, size_t attribute_at) {
  const Value* attribute = arguments.find(attribute_at, "attribute");
  const Value key = attribute && !attribute->none() ? part_of(item, *attribute) : item;
  return key.text() && !flag(arguments, case_at, "case_sensitive", false) ? Value(lower(*key.text())) : key;
}

Value sort_filter(const Value& value, const Arguments& arguments) {
  std::vector<std::pair<Value, Value>> keyed;
  for (const Value& item : items(value)) keyed.emplace_back(sort_key(item, arguments, 1, 2), item);
  const bool reverse = flag(arguments, 0, "reverse", false);
  std::stable_sort(keyed.begin(), keyed.end(), [&](const auto& a, const auto& b) {
    return reverse ? compare(b.first, a.first) < 0 : compare(a.first, b.first) < 0;
  });
  Items sorted;
  for (auto& [key, item] : keyed) sorted.push_back(std::move(item));
  return List(std::move(sorted));
}

Value extreme(const Value& value, const Arguments& arguments, int wanted) {
  Value best, best_key;
  for (const Value& item : items(value)) {
    const Value key = sort_key(item, arguments, 0, 1);
    if (best_key.undefined() || compare(key, best_key) == wanted) best = item, best_key = key;
  }
  return best;
}

Value unique(const Value& value, const Arguments& arguments) {
  Items kept, keys;
  for (const Value& item : items(value)) {
    const Value key = sort_key(item, arguments, 0, 1);
    if (keys.size() > 500) throw TemplateError("the filter 'unique' found more than 500 different items");
    if (std::any_of(keys.begin(), keys.end(), [&](const Value& k) { return equal(k, key); })) continue;
    keys.push_back(key);
    kept.push_back(item);
  }
  return List(std::move(kept));
}

Value sum_of(const Value& a, const Value& b) {
  if (!a.number() || !b.number()) throw TemplateError("the filter 'sum' requires numbers");
  return arithmetic("+", a, b);
}

Value sum(const Value& value, const Arguments& arguments) {
  const Value* attribute = arguments.find(0, "attribute");
  Value total = arguments.get(1, "start", int64_t{0});
  for (const Value& item : items(value))
    total = sum_of(total, attribute && !attribute->none() ? part_of(item, *attribute) : item);
  return total;
}

Value length_of(const Value& value, const Arguments&) {
  if (value.undefined()) return int64_t{0};
  if (value.text()) return static_cast<int64_t>(length(*value.text()));
  if (value.list()) return static_cast<int64_t>(value.list()->items.size());
  if (value.dict()) return static_cast<int64_t>(value.dict()->members.size());
  throw TemplateError(std::string(value.kind()) + " has no length");
}

Value join(const Value& value, const Arguments& arguments) {
  const Text between = printed(arguments.get(0, "d", ""));
  const Value* attribute = arguments.find(1, "attribute");
  Text result;
  bool first = true;
  for (const Value& item : items(value)) {
    if (!first) result.append(between);
    first = false;
    result.append(printed(attribute && !attribute->none() ? part_of(item, *attribute) : item));
  }
  return result;
}

Value default_of(const Value& value, const Arguments& arguments) {
  const bool missing = value.undefined() || (flag(arguments, 1, "boolean", false) && !value.truth());
  return missing ? arguments.get(0, "default_value", "") : value;
}

Value dictsort(const Value& value, const Arguments& arguments) {
  if (!value.dict())
    throw TemplateError("the filter 'dictsort' requires a dictionary, not " + std::string(value.kind()));
  const Value by = arguments.get(1, "by", "key");
  const bool by_value = by.text() && by.text()->bytes() == "value";
  const bool reverse = flag(arguments, 2, "reverse", false);
  std::vector<std::pair<Value, Value>> keyed;
  for (const auto& [key, item] : value.dict()->members) {
    Value order = by_value ? item : key;
    if (order.text() && !flag(arguments, 0, "case_sensitive", false)) order = lower(*order.text());
    keyed.emplace_back(order, List({key, item}, true));
  }
  std::stable_sort(keyed.begin(), keyed.end(), [&](const auto& a, const auto& b) {
    return reverse ? compare(b.first, a.first) < 0 : compare(a.first, b.first) < 0;
  });
  Items sorted;
  for (auto& [key, item] : keyed) sorted.push_back(std::move(item));
  return List(std::move(sorted));
}

Value items_filter(const Value& value, const Arguments&) {
  if (value.undefined()) return List(Items());
  if (!value.dict()) throw TemplateError("the filter 'items' requires a dictionary, not " + std::string(value.kind()));
  return pairs_of(*value.dict());
}

template <class T>
bool read_number(const Text& text, T& number) {
  const std::string digits = strip(text, true, true).bytes();
  const char* begin = digits.data() + (digits.starts_with('+') ? 1 : 0);
  const auto read = std::from_chars(begin, digits.data() + digits.size(), number);
  return read.ec == std::errc() && read.ptr == digits.data() + digits.size() && !digits.empty();
}

bool fits(double number) { return std::fabs(number) < 9.2e18; }

Value whole(const Value& value, const Arguments& arguments) {
  const Value otherwise = arguments.get(0, "default", int64_t{0});
  if (arguments.find(1, "base")) throw TemplateError("the filter 'int' with a base is not supported");
  int64_t number = 0;
  double decimal = 0;
  if (value.text()) {
    if (read_number(*value.text(), number)) return number;
    return read_number(*value.text(), decimal) && fits(decimal) ? Value(static_cast<int64_t>(decimal)) : otherwise;
  }
  if (value.is<double>()) return fits(value.decimal()) ? Value(static_cast<int64_t>(value.decimal())) : otherwise;
  return value.number() ? Value(value.integer("")) : otherwise;
}

Value decimal(const Value& value, const Arguments& arguments) {
  double number = 0;
  if (value.text() && read_number(*value.text(), number)) return number;
  return value.number() ? Value(value.decimal()) : arguments.get(0, "default", 0.0);
}

Value round_filter(const Value& value, const Arguments& arguments) {
  const int64_t digits = arguments.get(0, "precision", int64_t{0}).integer("the precision");
  const Value method = arguments.get(1, "method", "common");
  const std::string how = method.text() ? method.text()->bytes() : "";
  const double scale = std::pow(10.0, static_cast<double>(digits)), scaled = value.decimal() * scale;
  return (how == "ceil" ? std::ceil(scaled) : how == "floor" ? std::floor(scaled) : std::nearbyint(scaled)) / scale;
}

Value abs_filter(const Value& value, const Arguments&) {
  if (value.is<double>()) return std::fabs(value.decimal());
  const int64_t number = value.integer("the value of 'abs'");
  return number < 0 ? arithmetic("-", int64_t{0}, number) : Value(number);
}

Value indent(const Value& value, const Arguments& arguments) {
  const Value width = arguments.get(0, "width", int64_t{4});
  const Text by = width.text() ? *width.text() : *repeated(Text(" "), width.integer("the width")).text();
  const bool first = flag(arguments, 1, "first", false), blank = flag(arguments, 2, "blank", false);
  const auto lines = split(printed(value), "\n", Text::limit);
  Text result;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) result.append("\n", false);
    if (i == 0 ? first : blank || !lines[i].empty()) result.append(by);
    result.append(lines[i]);
  }
  return result;
}

Value trim(const Value& value, const Arguments& arguments) {
  const Value characters = arguments.get(0, "chars", nullptr);
  const Text text = printed(value);
  return characters.text() ? strip(text, true, true, characters.text()->bytes()) : strip(text, true, true);
}

Value replace_filter(const Value& value, const Arguments& arguments) {
  if (!arguments.find(0, "old") || !arguments.find(1, "new"))
    throw TemplateError("the filter 'replace' requires two strings");
  const Value count = arguments.get(2, "count", nullptr);
  const int64_t most = count.none() ? -1 : count.integer("the count");
  return replace(printed(value), printed(*arguments.find(0, "old")).bytes(), printed(*arguments.find(1, "new")),
                 most < 0 ? SIZE_MAX : static_cast<size_t>(most));
}

// Capitalizes every word, with Jinja's word boundaries.
Value title_filter(const Value& value, const Arguments&) {
  const Text text = printed(value);
  Text result;
  size_t begin = 0;
  for (size_t at = 0; at <= text.size(); ++at) {
    const bool ends =
        at == text.size() || std::string_view("- \t\n\r\f\v({[<").find(text.bytes()[at]) != std::string_view::npos;
    if (!ends) continue;
    result.append(capitalize(text.substr(begin, at)));
    if (at < text.size()) result.append(text.substr(at, at + 1));
    begin = at + 1;
  }
  return result;
}

Value tojson(const Value& value, const Arguments& arguments) {
  arguments.expect("tojson", {"ensure_ascii", "indent", "separators", "sort_keys"});
  JsonStyle style;
  style.ascii = flag(arguments, 0, "ensure_ascii", false);
  style.sorted = flag(arguments, 3, "sort_keys", false);
  if (const Value indent = arguments.get(1, "indent", nullptr); !indent.none()) {
    style.lines = true;
    style.between = ",";
    style.indent =
        indent.text() ? indent.text()->bytes() : repeated(Text(" "), indent.integer("the indent")).text()->bytes();
  }
  if (const Value between = arguments.get(2, "separators", nullptr); !between.none()) {
    const List* both = between.list();
    if (!both || both->items.size() != 2 || !both->items[0].text() || !both->items[1].text())
      throw TemplateError("the separators of 'tojson' must be two strings");
    style.between = both->items[0].text()->bytes();
    style.after_key = both->items[1].text()->bytes();
  }
  return json_text(value, style);
}

Value reversed(const Value& value, const Arguments&) {
  Items all = items(value);
  std::reverse(all.begin(), all.end());
  if (!value.text()) return List(std::move(all));
  Text text;
  for (const Value& character : all) text.append(*character.text());
  return text;
}

Value end_of(const Value& value, bool first) {
  const auto all = items_of(value);
  if (all->items.empty())
    return Undefined{first ? "the first item of an empty sequence" : "the last item of an empty sequence"};
  return first ? all->items.front() : all->items.back();
}

const std::map<std::string, Filter>& table() {
  static const std::map<std::string, Filter> filters{
      {"abs", abs_filter},
      {"capitalize", [](const Value& v, const Arguments&) -> Value { return capitalize(printed(v)); }},
      {"count", length_of},
      {"d", default_of},
      {"default", default_of},
      {"dictsort", dictsort},
      {"first", [](const Value& v, const Arguments&) { return end_of(v, true); }},
      {"float", decimal},
      {"indent", indent},
      {"int", whole},
      {"items", items_filter},
      {"join", join},
      {"last", [](const Value& v, const Arguments&) { return end_of(v, false); }},
      {"length", length_of},
      {"list", [](const Value& v, const Arguments&) -> Value { return List(items_of(v)->items); }},
      {"lower", [](const Value& v, const Arguments&) -> Value { return lower(printed(v)); }},
      {"map", map_filter},
      {"max", [](const Value& v, const Arguments& a) { return extreme(v, a, 1); }},
      {"min", [](const Value& v, const Arguments& a) { return extreme(v, a, -1); }},
      {"reject", [](const Value& v, const Arguments& a) { return chosen(v, a, false, false); }},
      {"rejectattr", [](const Value& v, const Arguments& a) { return chosen(v, a, true, false); }},
      {"replace", replace_filter},
      {"reverse", reversed},
      {"round", round_filter},
      {"safe", [](const Value& v, const Arguments&) -> Value { return printed(v); }},
      {"select", [](const Value& v, const Arguments& a) { return chosen(v, a, false, true); }},
      {"selectattr", [](const Value& v, const Arguments& a) { return chosen(v, a, true, true); }},
      {"sort", sort_filter},
      {"string", [](const Value& v, const Arguments&) -> Value { return printed(v); }},
      {"sum", sum},
      {"title", title_filter},
      {"tojson", tojson},
      {"trim", trim},
      {"unique", unique},
      {"upper", [](const Value& v, const Arguments&) -> Value { return upper(printed(v)); }},
  };
  return filters;
}

}  // namespace

bool has_filter(const std::string& name) { return table().contains(name); }

std::vector<std::string> filter_names() {
  std::vector<std::string> names;
  for (const auto& [name, filter] : table()) names.push_back(name);
  return names;
}

Value apply_filter(const std::string& name, const Value& value, const Arguments& arguments) {
  const auto found = table().find(name);
  if (found == table().end()) throw TemplateError("the filter '" + name + "' is not supported");
  return found->second(value, arguments);
}

}  // namespace compeer::language::jinja
