// Attributes, items, slices and arithmetic of values.
#include "language/jinja/access.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "language/jinja/printing.h"

namespace compeer::language::jinja {

namespace {

// Python's methods that would modify a list or dictionary.
constexpr std::string_view changing[] = {"append",  "clear",  "copy",    "extend",     "fromkeys", "insert", "pop",
                                         "popitem", "remove", "reverse", "setdefault", "sort",     "update"};

bool changes(const std::string& name) {
  return std::find(std::begin(changing), std::end(changing), name) != std::end(changing);
}

Value dict_attribute(const Value& value, const std::string& name) {
  const auto keep = std::get<std::shared_ptr<const Dict>>(value.any());
  if (name == "items") return Callable{name, [keep](const Arguments&) { return pairs_of(*keep); }};
  if (name == "keys")
    return Callable{name, [value](const Arguments&) -> Value { return List(items_of(value)->items); }};
  if (name == "values") {
    return Callable{name, [keep](const Arguments&) -> Value {
                      std::vector<Value> values;
                      for (const auto& member : keep->members) values.push_back(member.second);
                      return List(std::move(values));
                    }};
  }
  if (name == "get") {
    return Callable{name, [keep](const Arguments& arguments) {
                      if (arguments.positional.empty()) throw TemplateError("get() requires a key");
                      const Value* found = keep->find(arguments.positional[0]);
                      return found ? *found : arguments.get(1, "default", nullptr);
                    }};
  }
  if (changes(name)) throw TemplateError("the method '" + name + "' of a dictionary is not supported");
  return Undefined{"a dictionary's '" + name + "'"};
}

Value list_attribute(const Value& value, const std::string& name) {
  const auto keep = std::get<std::shared_ptr<const List>>(value.any());
  if (name == "index" || name == "count") {
    return Callable{name, [keep, name](const Arguments& arguments) -> Value {
                      if (arguments.positional.size() != 1) throw TemplateError(name + "() requires one value");
                      const auto same = [&](const Value& item) { return equal(item, arguments.positional[0]); };
                      const auto& all = keep->items;
                      if (name == "count") return static_cast<int64_t>(std::count_if(all.begin(), all.end(), same));
                      const auto found = std::find_if(all.begin(), all.end(), same);
                      if (found == all.end()) throw TemplateError("index(): the value is not in the list");
                      return static_cast<int64_t>(found - all.begin());
                    }};
  }
  if (changes(name)) throw TemplateError("the method '" + name + "' of a list is not supported");
  return Undefined{"a list's '" + name + "'"};
}

Value loop_attribute(const Value& value, const std::string& name) {
  const auto keep = std::get<std::shared_ptr<const Loop>>(value.any());
  const auto size = static_cast<int64_t>(keep->items->items.size()), index = static_cast<int64_t>(keep->index);
  const auto item = [&](int64_t i) -> Value {
    return i >= 0 && i < size ? keep->items->items[static_cast<size_t>(i)] : Value(Undefined{"loop." + name});
  };
  if (name == "index") return index + 1;
  if (name == "index0") return index;
  if (name == "revindex") return size - index;
  if (name == "revindex0") return size - index - 1;
  if (name == "first") return index == 0;
  if (name == "last") return index + 1 == size;
  if (name == "length") return size;
  if (name == "depth") return int64_t{1};  // recursive loops are not supported
  if (name == "depth0") return int64_t{0};
  if (name == "previtem") return item(index - 1);
  if (name == "nextitem") return item(index + 1);
  if (name == "cycle") {
    return Callable{name, [index](const Arguments& arguments) {
                      if (arguments.positional.empty()) throw TemplateError("loop.cycle() requires values");
                      return arguments.positional[static_cast<size_t>(index) % arguments.positional.size()];
                    }};
  }
  if (name == "changed") throw TemplateError("loop.changed() is not supported");
  return Undefined{"loop." + name};
}

struct SliceRange {
  int64_t begin, end, step;
};

// Python's slice.indices().
SliceRange range_of(int64_t size, const Value& begin, const Value& end, const Value& step) {
  SliceRange range{0, 0, step.none() ? 1 : step.integer("a slice's step")};
  if (range.step == 0) throw TemplateError("the step of a slice is 0");
  const bool back = range.step < 0;
  const int64_t low = back ? -1 : 0, high = back ? size - 1 : size;
  const auto place = [&](const Value& given, int64_t otherwise) {
    if (given.none()) return otherwise;
    const int64_t at = given.integer("a slice's end");
    return std::clamp(at < 0 ? (at < -size ? low : at + size) : at, low, high);
  };
  range.begin = place(begin, back ? high : low);
  range.end = place(end, back ? low : high);
  return range;
}

template <class Add>
void go_through(const SliceRange& range, const Add& add) {
  // Any step beyond the size has the same effect; clamping prevents overflow.
  const int64_t step = std::clamp<int64_t>(range.step, -(int64_t{1} << 40), int64_t{1} << 40);
  for (int64_t i = range.begin; step > 0 ? i < range.end : i > range.end; i += step) add(static_cast<size_t>(i));
}

[[noreturn]] void no_arithmetic(const std::string& sign, const Value& a, const Value& b) {
  for (const Value* value : {&a, &b}) {
    if (const auto* undefined = std::get_if<Undefined>(&value->any()))
      throw TemplateError(undefined->name + " is undefined");
  }
  throw TemplateError(std::string(a.kind()) + " " + sign + " " + b.kind() + " is not supported");
}

Value whole_arithmetic(const std::string& sign, int64_t a, int64_t b) {
  int64_t result = 0;
  bool overflow = false;
  if (sign == "+") {
    overflow = __builtin_add_overflow(a, b, &result);
  } else if (sign == "-") {
    overflow = __builtin_sub_overflow(a, b, &result);
  } else if (sign == "*") {
    overflow = __builtin_mul_overflow(a, b, &result);
  } else if (sign == "**") {
    if (b < 0) return std::pow(static_cast<double>(a), static_cast<double>(b));
    result = 1;
    if (b > 64 && a != 0 && a != 1 && a != -1) overflow = true;
    for (int64_t i = 0; i < (b > 64 ? 64 + b % 2 : b) && !overflow; ++i)
      overflow = __builtin_mul_overflow(result, a, &result);
  } else {
    if (b == 0) throw TemplateError("division by 0");
    if (b == -1) return whole_arithmetic(sign == "//" ? "-" : "*", 0, sign == "//" ? a : 0);
    const int64_t rest = a % b;
    const bool below = rest != 0 && (rest < 0) != (b < 0);
    result = sign == "//" ? a / b - (below ? 1 : 0) : rest + (below ? b : 0);
  }
  if (overflow) throw TemplateError("a number needs more than 64 bits");
  return result;
}

Value decimal_arithmetic(const std::string& sign, double a, double b) {
  if (sign == "+") return a + b;
  if (sign == "-") return a - b;
  if (sign == "*") return a * b;
  if (sign == "**") return std::pow(a, b);
  if (b == 0) throw TemplateError("division by 0");
  if (sign == "/") return a / b;
  if (sign == "//") return std::floor(a / b);
  const double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

}  // namespace

Value attribute(const Value& value, const std::string& name) {
  if (const auto* undefined = std::get_if<Undefined>(&value.any()))
    throw TemplateError(undefined->name + " is undefined");
  if (value.dict()) {
    const Value method = dict_attribute(value, name);
    if (!method.undefined()) return method;
    const Value* found = value.dict()->find(name);
    return found ? *found : method;
  }
  if (const Namespace* space = value.space()) {
    for (const auto& [key, member] : space->members) {
      if (key == name) return member;
    }
    return Undefined{"a namespace's '" + name + "'"};
  }
  if (value.text()) return text_method(value, name);
  if (value.list()) return list_attribute(value, name);
  if (value.loop()) return loop_attribute(value, name);
  return Undefined{std::string(value.kind()) + "'s '" + name + "'"};
}

Value get_item(const Value& value, const Value& key) {
  if (const auto* undefined = std::get_if<Undefined>(&value.any()))
    throw TemplateError(undefined->name + " is undefined");
  if (const Dict* dict = value.dict()) {
    const Value* found = dict->find(key);
    if (found) return *found;
    return key.text() ? attribute(value, key.text()->bytes()) : Value(Undefined{"a dictionary's member"});
  }
  const bool whole = key.is<int64_t>() || key.is<bool>();
  if (whole && (value.list() || value.text())) {
    const auto starts = value.text() ? character_starts(*value.text()) : std::vector<size_t>();
    const auto size = static_cast<int64_t>(value.list() ? value.list()->items.size() : starts.size() - 1);
    int64_t index = key.integer("");
    if (index < 0) index += size;
    if (index < 0 || index >= size)
      return Undefined{std::string(value.kind()) + "'s item number " + printed(key).bytes()};
    const auto i = static_cast<size_t>(index);
    return value.list() ? value.list()->items[i] : Value(value.text()->substr(starts[i], starts[i + 1]));
  }
  return key.text() ? attribute(value, key.text()->bytes()) : Value(Undefined{std::string(value.kind()) + "'s member"});
}

Value slice(const Value& value, const Value& begin, const Value& end, const Value& step) {
  if (const Text* text = value.text()) {
    const auto starts = character_starts(*text);
    const SliceRange range = range_of(static_cast<int64_t>(starts.size()) - 1, begin, end, step);
    if (range.step == 1)
      return text->substr(starts[static_cast<size_t>(range.begin)],
                          starts[static_cast<size_t>(std::max(range.begin, range.end))]);
    Text result;
    go_through(range, [&](size_t i) { result.append(text->substr(starts[i], starts[i + 1])); });
    return result;
  }
  if (const List* list = value.list()) {
    std::vector<Value> items;
    go_through(range_of(static_cast<int64_t>(list->items.size()), begin, end, step),
               [&](size_t i) { items.push_back(list->items[i]); });
    return List(std::move(items), list->tuple);
  }
  if (const auto* undefined = std::get_if<Undefined>(&value.any()))
    throw TemplateError(undefined->name + " is undefined");
  throw TemplateError(std::string(value.kind()) + " can't be sliced");
}

Value repeated(const Text& text, int64_t times) {
  if (times > 0 && text.size() > Text::limit / static_cast<size_t>(times))
    throw TemplateError("a string grows beyond " + std::to_string(Text::limit) + " bytes");
  Text result;
  for (int64_t i = 0; i < times && !text.empty(); ++i) result.append(text);
  return result;
}

Value arithmetic(const std::string& sign, const Value& a, const Value& b) {
  if (a.number() && b.number()) {
    const bool whole = !a.is<double>() && !b.is<double>() && sign != "/";
    return whole ? whole_arithmetic(sign, a.integer(""), b.integer(""))
                 : decimal_arithmetic(sign, a.decimal(), b.decimal());
  }
  if (sign == "+" && a.text() && b.text()) {
    Text result = *a.text();
    result.append(*b.text());
    return result;
  }
  if (sign == "+" && a.list() && b.list() && a.list()->tuple == b.list()->tuple) {
    std::vector<Value> items = a.list()->items;
    items.insert(items.end(), b.list()->items.begin(), b.list()->items.end());
    return List(std::move(items), a.list()->tuple);
  }
  const auto is_whole = [](const Value& v) { return v.is<int64_t>() || v.is<bool>(); };
  if (sign == "*" && a.text() && is_whole(b)) return repeated(*a.text(), b.integer(""));
  if (sign == "*" && b.text() && is_whole(a)) return repeated(*b.text(), a.integer(""));
  no_arithmetic(sign, a, b);
}

bool contains(const Value& whole, const Value& part) {
  if (const Text* text = whole.text()) {
    if (!part.text()) throw TemplateError(std::string("only a string can be in a string, not ") + part.kind());
    return find_text(text->bytes(), part.text()->bytes()) != std::string::npos;
  }
  if (whole.dict()) return whole.dict()->find(part) != nullptr;
  const auto all = items_of(whole);
  return std::any_of(all->items.begin(), all->items.end(), [&](const Value& item) { return equal(item, part); });
}

Value pairs_of(const Dict& dict) {
  std::vector<Value> pairs;
  for (const auto& [key, value] : dict.members) pairs.push_back(List({key, value}, true));
  return List(std::move(pairs));
}

bool is_in_case(const Text& text, Text (*change)(const Text&)) {
  return change(text).bytes() == text.bytes() && upper(text).bytes() != lower(text).bytes();
}

}  // namespace compeer::language::jinja
