#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "language/jinja/text.h"

// The values that chat templates compute with. "Text" is a string, "none" is Python's None.

namespace compeer::language::jinja {

class Value;
struct List;
struct Dict;
struct Namespace;
struct Callable;
struct Loop;

/// The value of an undefined name: prints as nothing and is false; accessing its members is an error.
struct Undefined {
  std::string name;  ///< name in errors: "'x'" in "'x' is undefined"
};

/// A value in a template, like a Python object. Texts, lists and dictionaries are immutable and shared, so that copies
/// are cheap; namespaces are mutable.
class Value {
 public:
  using Any = std::variant<Undefined, std::nullptr_t, bool, int64_t, double, std::shared_ptr<const Text>,
                           std::shared_ptr<const List>, std::shared_ptr<const Dict>, std::shared_ptr<Namespace>,
                           std::shared_ptr<const Callable>, std::shared_ptr<const Loop>>;

  Value() : any_(Undefined{}) {}  ///< an undefined value
  Value(Undefined undefined) : any_(std::move(undefined)) {}
  Value(std::nullptr_t) : any_(nullptr) {}
  Value(bool v) : any_(v) {}
  Value(int64_t v) : any_(v) {}
  Value(double v) : any_(v) {}
  Value(Text text) : any_(std::make_shared<const Text>(std::move(text))) {}
  Value(const char* text) : Value(Text(text)) {}
  Value(List list);
  Value(Dict dict);
  Value(std::shared_ptr<Namespace> v) : any_(std::move(v)) {}
  Value(Callable callable);
  Value(std::shared_ptr<const Loop> v) : any_(std::move(v)) {}

  /// True if the value has the type T of `Any`.
  template <class T>
  bool is() const {
    return std::holds_alternative<T>(any_);
  }
  bool undefined() const { return is<Undefined>(); }
  bool none() const { return is<std::nullptr_t>(); }
  /// True for booleans, too, which are numbers in Python.
  bool number() const { return is<bool>() || is<int64_t>() || is<double>(); }
  // Return the object; null if the value has another type. `space`: a namespace.
  const Text* text() const { return get<const Text>(); }
  const List* list() const { return get<const List>(); }
  const Dict* dict() const { return get<const Dict>(); }
  const Callable* callable() const { return get<const Callable>(); }
  const Loop* loop() const { return get<const Loop>(); }
  Namespace* space() const { return get<Namespace>(); }
  const Any& any() const { return any_; }  ///< the value as a variant

  /// Returns a number as double; true as 1. Throws TemplateError for other values.
  double decimal() const;
  /// Returns an integer or boolean; true as 1. Throws TemplateError for other values; `what` names the value in the
  /// message.
  int64_t integer(const char* what) const;

  /// Returns Python's bool(value).
  bool truth() const;
  /// Returns the type's name for errors: "a string", "a list".
  const char* kind() const;
  /// Cost of visiting the whole value, in steps: number of its parts, plus 1 per 64 bytes of text.
  size_t weight() const;
  /// Nesting depth of lists and dictionaries; 0 for other values.
  int depth() const;

 private:
  template <class T>
  T* get() const {
    const auto* held = std::get_if<std::shared_ptr<T>>(&any_);
    return held ? held->get() : nullptr;
  }
  Any any_;
};

/// A list or tuple. The constructor throws TemplateError if it is too deep or too large.
struct List {
  explicit List(std::vector<Value> values, bool is_tuple = false);
  std::vector<Value> items;
  bool tuple;     ///< a tuple, which prints with parentheses
  size_t weight;  ///< result of `Value::weight`
  int depth;      ///< result of `Value::depth`
};

/// A dictionary in insertion order.
struct Dict {
  using Member = std::pair<Value, Value>;  ///< key and value
  /// The last value of a duplicate key counts (not checked for more than 1000 members). Throws TemplateError for a key
  /// that is not hashable, and if the dictionary is too deep or too large.
  explicit Dict(std::vector<Member> given);
  /// Return the value of a key; null if there is none. Linear search.
  const Value* find(const Value& key) const;
  const Value* find(std::string_view key) const;
  std::vector<Member> members;  ///< in insertion order
  size_t weight;                ///< result of `Value::weight`
  int depth;                    ///< result of `Value::depth`
};

/// Jinja's namespace(): an object whose members can be assigned.
struct Namespace {
  std::vector<std::pair<std::string, Value>> members;  ///< name and value
};

/// The variable `loop` in the body of a for loop, with members such as loop.first.
struct Loop {
  std::shared_ptr<const List> items;  ///< all items of the loop
  size_t index;                       ///< index of the current item, from 0
};

/// The arguments of a call, filter or test.
struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;  ///< name and value

  /// Returns the positional argument `i`, or the argument `name`; null if neither is given.
  const Value* find(size_t i, std::string_view name) const;
  /// The same; returns `otherwise` if neither is given.
  Value get(size_t i, std::string_view name, Value otherwise) const;
  /// Checks the arguments of `function`, which has the parameters `names`. Throws TemplateError if there are more
  /// positional arguments than parameters, or an argument with another name.
  void expect(const std::string& function, std::initializer_list<std::string_view> names) const;
};

/// A function, method or macro.
struct Callable {
  std::string name;  ///< name in the template
  std::function<Value(const Arguments&)> call;
};

/// Converts JSON; its texts are marked as data. Throws TemplateError for integers outside int64.
Value value_of(const nlohmann::ordered_json& json);

/// Returns Python's a == b.
bool equal(const Value& a, const Value& b);
/// Returns -1 if a < b, 0 if neither is less, 1 if a > b. Throws TemplateError if the values have no order.
int compare(const Value& a, const Value& b);
/// Returns the items that a loop or filter iterates over: those of a list, the keys of a dictionary, the characters of
/// a text, none for an undefined value. Throws TemplateError for other values.
std::shared_ptr<const List> items_of(const Value& value);

}  // namespace compeer::language::jinja
