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

namespace compeer::language::jinja {

class Value;
struct List;
struct Dict;
struct Namespace;
struct Callable;
struct Loop;

/// What a name that nothing has been given to stands for: prints as nothing, is false, and can't be looked into.
struct Undefined {
  std::string name;  ///< as errors call it: "'x' is undefined"
};

/// What templates reckon with: Python's values, as far as chat templates know them. Lists and dictionaries never
/// change, and are shared; a namespace does. Copies are cheap.
class Value {
 public:
  using Any = std::variant<Undefined, std::nullptr_t, bool, int64_t, double, std::shared_ptr<const Text>,
                           std::shared_ptr<const List>, std::shared_ptr<const Dict>, std::shared_ptr<Namespace>,
                           std::shared_ptr<const Callable>, std::shared_ptr<const Loop>>;

  Value() : any_(Undefined{}) {}
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

  template <class T>
  bool is() const {
    return std::holds_alternative<T>(any_);
  }
  bool undefined() const { return is<Undefined>(); }
  bool none() const { return is<std::nullptr_t>(); }
  bool number() const { return is<bool>() || is<int64_t>() || is<double>(); }
  const Text* text() const { return get<const Text>(); }
  const List* list() const { return get<const List>(); }
  const Dict* dict() const { return get<const Dict>(); }
  const Callable* callable() const { return get<const Callable>(); }
  const Loop* loop() const { return get<const Loop>(); }
  Namespace* space() const { return get<Namespace>(); }
  const Any& any() const { return any_; }

  /// Numbers, true and false as such.
  double decimal() const;
  /// A whole number, true as 1; Trouble for all else, which `what` names.
  int64_t integer(const char* what) const;

  bool truth() const;
  /// As error messages call it: "a text", "a list".
  const char* kind() const;
  /// What looking through the whole value costs: its parts, and 1 for every 64 bytes of text.
  size_t weight() const;
  /// How deep lists and dictionaries stand in it.
  int depth() const;

 private:
  template <class T>
  T* get() const {
    const auto* held = std::get_if<std::shared_ptr<T>>(&any_);
    return held ? held->get() : nullptr;
  }
  Any any_;
};

/// Trouble if a list or dictionary would nest or weigh too much.
struct List {
  explicit List(std::vector<Value> values, bool is_tuple = false);
  std::vector<Value> items;
  bool tuple;
  size_t weight;
  int depth;
};

struct Dict {
  using Member = std::pair<Value, Value>;
  explicit Dict(std::vector<Member> given);  ///< of a key that stands there twice the later value counts
  const Value* find(const Value& key) const;
  const Value* find(std::string_view key) const;
  std::vector<Member> members;
  size_t weight;
  int depth;
};

struct Namespace {
  std::vector<std::pair<std::string, Value>> members;
};

/// A loop seen from within.
struct Loop {
  std::shared_ptr<const List> items;
  size_t index;
};

/// What stands between the brackets of a call.
struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;

  /// The argument at place `i` or of that name; null if it is not there.
  const Value* find(size_t i, std::string_view name) const;
  Value get(size_t i, std::string_view name, Value otherwise) const;
  /// Trouble if there are more than these.
  void expect(const std::string& function, std::initializer_list<std::string_view> names) const;
};

struct Callable {
  std::string name;
  std::function<Value(const Arguments&)> call;
};

/// JSON as values; its texts are data. Trouble for numbers that do not fit.
Value value_of(const nlohmann::ordered_json& json);

bool equal(const Value& a, const Value& b);
/// -1, 0 or 1; Trouble if the two have no order.
int compare(const Value& a, const Value& b);
/// What a loop or filter goes through: items, keys, characters; of an undefined value nothing.
std::shared_ptr<const List> items_of(const Value& value);

}  // namespace compeer::language::jinja
