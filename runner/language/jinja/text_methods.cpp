// Methods of texts: those of Python's str that templates use.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "language/jinja/access.h"
#include "language/jinja/printing.h"

namespace compeer::language::jinja {

namespace {

using Method = Value (*)(const Text& text, const Arguments& arguments);

const Text& text_at(const Arguments& arguments, size_t i, std::string_view name) {
  const Value* found = arguments.find(i, name);
  if (!found || !found->text())
    throw TemplateError("a string method requires a string, not " + std::string(found ? found->kind() : "nothing"));
  return *found->text();
}

size_t count_at(const Arguments& arguments, size_t i, std::string_view name) {
  const int64_t count = arguments.get(i, name, int64_t{-1}).integer("a count");
  return count < 0 ? SIZE_MAX : static_cast<size_t>(count);
}

Value listed(std::vector<Text> parts) {
  std::vector<Value> items;
  for (Text& part : parts) items.emplace_back(std::move(part));
  return List(std::move(items));
}

Value stripped(const Text& text, const Arguments& arguments, bool left, bool right) {
  const Value characters = arguments.get(0, "chars", nullptr);
  return characters.none() ? strip(text, left, right)
                           : strip(text, left, right, text_at(arguments, 0, "chars").bytes());
}

// startswith and endswith take one text or a tuple of them.
Value matches(const Text& text, const Arguments& arguments, bool at_end) {
  arguments.expect(at_end ? "endswith()" : "startswith()", {"prefix"});
  const auto fits = [&](const Value& part) {
    if (!part.text()) throw TemplateError("startswith() and endswith() require a string or a tuple of strings");
    const auto& bytes = part.text()->bytes();
    return at_end ? text.bytes().ends_with(bytes) : text.bytes().starts_with(bytes);
  };
  const Value wanted = arguments.get(0, "prefix", nullptr);
  if (const List* list = wanted.list()) return std::any_of(list->items.begin(), list->items.end(), fits);
  return fits(wanted);
}

Value split_method(const Text& text, const Arguments& arguments) {
  const Value separator = arguments.get(0, "sep", nullptr);
  const size_t most = count_at(arguments, 1, "maxsplit");
  return listed(separator.none() ? split(text, most) : split(text, text_at(arguments, 0, "sep").bytes(), most));
}

Value rsplit_method(const Text& text, const Arguments& arguments) {
  const size_t most = count_at(arguments, 1, "maxsplit");
  if (!arguments.get(0, "sep", nullptr).none())
    return listed(split_from_right(text, text_at(arguments, 0, "sep").bytes(), most));
  if (most != SIZE_MAX) throw TemplateError("rsplit() at white space with a count is not supported");
  return listed(split(text, most));
}

Value partition(const Text& text, const Arguments& arguments, bool from_right) {
  const std::string& at = text_at(arguments, 0, "sep").bytes();
  if (at.empty()) throw TemplateError("partition() requires a non-empty separator");
  const size_t found = from_right ? find_last_text(text.bytes(), at) : find_text(text.bytes(), at);
  if (found == std::string::npos) {
    return from_right ? List({Text(), Text(), text}, true) : List({text, Text(), Text()}, true);
  }
  const size_t end = found + at.size();
  return List({text.substr(0, found), text.substr(found, end), text.substr(end, text.size())}, true);
}

Value join_method(const Text& text, const Arguments& arguments) {
  Text result;
  bool first = true;
  const auto all = items_of(arguments.get(0, "iterable", Undefined{}));
  for (const Value& item : all->items) {
    if (!item.text()) throw TemplateError("join() requires strings, not " + std::string(item.kind()));
    if (!first) result.append(text);
    first = false;
    result.append(*item.text());
  }
  return result;
}

Value found_at(const Text& text, size_t byte) {
  return byte == std::string::npos ? int64_t{-1} : static_cast<int64_t>(length(text.substr(0, byte)));
}

Value count(const Text& text, const Arguments& arguments) {
  const std::string& part = text_at(arguments, 0, "sub").bytes();
  if (part.empty()) return static_cast<int64_t>(length(text)) + 1;
  return static_cast<int64_t>(split(text, part, SIZE_MAX).size()) - 1;
}

Value without(const Text& text, const Arguments& arguments, bool suffix) {
  const auto& part = text_at(arguments, 0, suffix ? "suffix" : "prefix").bytes();
  if (suffix) return text.bytes().ends_with(part) ? text.substr(0, text.size() - part.size()) : text;
  return text.bytes().starts_with(part) ? text.substr(part.size(), text.size()) : text;
}

Value all_are(const Text& text, bool (*holds)(char)) {
  return !text.empty() && std::all_of(text.bytes().begin(), text.bytes().end(), [&](char c) {
    if (static_cast<unsigned char>(c) >= 0x80) throw TemplateError("this string test is supported for ASCII only");
    return holds(c);
  });
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

const std::map<std::string, Method>& table() {
  static const std::map<std::string, Method> methods{
      {"capitalize", [](const Text& t, const Arguments&) -> Value { return capitalize(t); }},
      {"count", count},
      {"endswith", [](const Text& t, const Arguments& a) { return matches(t, a, true); }},
      {"find", [](const Text& t,
                  const Arguments& a) { return found_at(t, find_text(t.bytes(), text_at(a, 0, "sub").bytes())); }},
      {"isalnum",
       [](const Text& t, const Arguments&) { return all_are(t, [](char c) { return is_digit(c) || is_alpha(c); }); }},
      {"isalpha", [](const Text& t, const Arguments&) { return all_are(t, is_alpha); }},
      {"isdigit", [](const Text& t, const Arguments&) { return all_are(t, is_digit); }},
      {"islower", [](const Text& t, const Arguments&) -> Value { return is_in_case(t, lower); }},
      {"isnumeric", [](const Text& t, const Arguments&) { return all_are(t, is_digit); }},
      {"isspace", [](const Text& t, const Arguments&) -> Value { return !t.empty() && strip(t, true, false).empty(); }},
      {"isupper", [](const Text& t, const Arguments&) -> Value { return is_in_case(t, upper); }},
      {"join", join_method},
      {"lower", [](const Text& t, const Arguments&) -> Value { return lower(t); }},
      {"lstrip", [](const Text& t, const Arguments& a) { return stripped(t, a, true, false); }},
      {"partition", [](const Text& t, const Arguments& a) { return partition(t, a, false); }},
      {"removeprefix", [](const Text& t, const Arguments& a) { return without(t, a, false); }},
      {"removesuffix", [](const Text& t, const Arguments& a) { return without(t, a, true); }},
      {"replace",
       [](const Text& t, const Arguments& a) -> Value {
         return replace(t, text_at(a, 0, "old").bytes(), text_at(a, 1, "new"), count_at(a, 2, "count"));
       }},
      {"rfind",
       [](const Text& t, const Arguments& a) {
         return found_at(t, find_last_text(t.bytes(), text_at(a, 0, "sub").bytes()));
       }},
      {"rpartition", [](const Text& t, const Arguments& a) { return partition(t, a, true); }},
      {"rsplit", rsplit_method},
      {"rstrip", [](const Text& t, const Arguments& a) { return stripped(t, a, false, true); }},
      {"split", split_method},
      {"splitlines",
       [](const Text& t, const Arguments& a) { return listed(split_lines(t, a.get(0, "keepends", false).truth())); }},
      {"startswith", [](const Text& t, const Arguments& a) { return matches(t, a, false); }},
      {"strip", [](const Text& t, const Arguments& a) { return stripped(t, a, true, true); }},
      {"title", [](const Text& t, const Arguments&) -> Value { return title(t); }},
      {"upper", [](const Text& t, const Arguments&) -> Value { return upper(t); }},
  };
  return methods;
}

// Python's other methods: using one is an error, not undefined, since the template means the method.
constexpr std::string_view missing[] = {"casefold",    "center",   "encode",    "expandtabs", "format",
                                        "format_map",  "index",    "isascii",   "isdecimal",  "isidentifier",
                                        "isprintable", "istitle",  "ljust",     "maketrans",  "rindex",
                                        "rjust",       "swapcase", "translate", "zfill"};

}  // namespace

Value text_method(const Value& text, const std::string& name) {
  if (std::find(std::begin(missing), std::end(missing), name) != std::end(missing))
    throw TemplateError("the method '" + name + "' of a string is not supported");
  const auto found = table().find(name);
  if (found == table().end()) return Undefined{"a string's '" + name + "'"};
  return Callable{
      name, [text, method = found->second](const Arguments& arguments) { return method(*text.text(), arguments); }};
}

}  // namespace compeer::language::jinja
