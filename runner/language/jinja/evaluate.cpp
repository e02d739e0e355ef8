// Evaluates expressions, and defines the global functions.
#include <algorithm>
#include <functional>

#include "language/jinja/access.h"
#include "language/jinja/evaluator.h"
#include "language/jinja/filters.h"
#include "language/jinja/printing.h"
#include "language/jinja/tests.h"

namespace compeer::language::jinja {

namespace {

using Kind = Expression::Kind;

bool holds(const std::string& sign, const Value& a, const Value& b) {
  if (sign == "==") return equal(a, b);
  if (sign == "!=") return !equal(a, b);
  if (sign == "in") return contains(b, a);
  if (sign == "not in") return !contains(b, a);
  for (const Value* value : {&a, &b}) {
    if (const auto* undefined = std::get_if<Undefined>(&value->any()))
      throw TemplateError(undefined->name + " is undefined");
  }
  const int order = compare(a, b);
  return sign == "<" ? order < 0 : sign == "<=" ? order <= 0 : sign == ">" ? order > 0 : order >= 0;
}

// range(), within the bounds that Jinja's sandbox sets.
Value range(const Arguments& arguments) {
  arguments.expect("range()", {"start", "stop", "step"});
  const auto& given = arguments.positional;
  if (given.empty()) throw TemplateError("range() requires a number");
  const auto at = [&](size_t i) { return given[i].integer("an argument of range()"); };
  const int64_t begin = given.size() > 1 ? at(0) : 0, end = given.size() > 1 ? at(1) : at(0);
  const int64_t step = given.size() > 2 ? at(2) : 1;
  constexpr int64_t large = int64_t{1} << 40;
  if (step == 0) throw TemplateError("range() with a step of 0");
  if (std::max({std::abs(begin), std::abs(end), std::abs(step)}) > large || std::abs((end - begin) / step) > 100000)
    throw TemplateError("range() of more than 100000 numbers");
  std::vector<Value> numbers;
  for (int64_t i = begin; step > 0 ? i < end : i > end; i += step) numbers.emplace_back(i);
  return List(std::move(numbers));
}

std::string formatted_time(const std::string& format, std::time_t now) {
  std::tm local{};
  ::localtime_r(&now, &local);
  std::string text(format.size() * 32 + 256, '\0');
  if (format.size() > 1000) throw TemplateError("strftime_now() with a format of more than 1000 bytes");
  text.resize(std::strftime(text.data(), text.size(), format.c_str(), &local));
  return text;
}

const Text& only_text(const Arguments& arguments, const char* function) {
  if (arguments.positional.size() != 1 || !arguments.positional[0].text())
    throw TemplateError(std::string(function) + "() requires one string");
  return *arguments.positional[0].text();
}

// The initial members for namespace() and dict(): those of dictionaries, then the named arguments.
std::vector<Dict::Member> members(const Arguments& arguments) {
  std::vector<Dict::Member> all;
  for (const Value& value : arguments.positional) {
    if (!value.dict()) throw TemplateError("namespace() and dict() require named members or a dictionary");
    all.insert(all.end(), value.dict()->members.begin(), value.dict()->members.end());
  }
  for (const auto& [name, value] : arguments.named) all.emplace_back(Text(name), value);
  return all;
}

}  // namespace

void Evaluator::add_functions(std::time_t now) {
  const auto add = [&](const char* name, std::function<Value(const Arguments&)> call) {
    functions_.emplace_back(name, Callable{name, std::move(call)});
  };
  add("range", range);
  add("dict", [](const Arguments& arguments) -> Value { return Dict(members(arguments)); });
  add("namespace", [this](const Arguments& arguments) -> Value {
    auto space = std::make_shared<Namespace>();
    for (const auto& [name, value] : members(arguments)) space->members.emplace_back(printed(name).bytes(), value);
    namespaces_.push_back(space);
    return space;
  });
  add("raise_exception", [](const Arguments& arguments) -> Value {
    throw TemplateError("the chat template rejects this conversation: " +
                        only_text(arguments, "raise_exception").bytes());
  });
  add("strftime_now", [now](const Arguments& arguments) -> Value {
    return Text(formatted_time(only_text(arguments, "strftime_now").bytes(), now));
  });
}

Value Evaluator::look_up(const std::string& name, const Frame& frame) const {
  for (const Frame* at = &frame; at; at = at->outer) {
    for (const auto& [known, value] : at->names) {
      if (known == name) return value;
    }
  }
  for (const auto& [known, value] : functions_) {
    if (known == name) return value;
  }
  return Undefined{"'" + name + "'"};
}

Value Evaluator::evaluate(const Expression& expression, Frame& frame) {
  const DepthGuard deeper(*this);
  spend(1);
  line_ = expression.line;
  return compute(expression, frame);
}

Value Evaluator::compute(const Expression& expression, Frame& frame) {
  const auto& parts = expression.parts;
  const auto part = [&](size_t i) { return evaluate(*parts[i], frame); };
  const auto part_or_none = [&](size_t i) { return parts[i] ? part(i) : Value(nullptr); };
  switch (expression.kind) {
    case Kind::constant:
      return expression.value;
    case Kind::name:
      return look_up(expression.name, frame);
    case Kind::list:
    case Kind::tuple:
      return made(List(values(expression, 0, frame), expression.kind == Kind::tuple));
    case Kind::dict: {
      std::vector<Dict::Member> all;
      for (size_t i = 0; i < parts.size(); i += 2) all.emplace_back(part(i), part(i + 1));
      return made(Dict(std::move(all)));
    }
    case Kind::negative: {
      const Value value = part(0);
      return value.is<double>() ? Value(-value.decimal()) : arithmetic("-", int64_t{0}, value);
    }
    case Kind::positive:
      return arithmetic("+", int64_t{0}, part(0));
    case Kind::not_:
      return !part(0).truth();
    case Kind::and_: {
      const Value first = part(0);
      return first.truth() ? part(1) : first;
    }
    case Kind::or_: {
      const Value first = part(0);
      return first.truth() ? first : part(1);
    }
    case Kind::arithmetic: {
      const Value first = part(0);
      return made(arithmetic(expression.name, first, part(1)));
    }
    case Kind::concatenate: {
      Text text;
      for (size_t i = 0; i < parts.size(); ++i) text.append(printed(part(i)));
      return made(std::move(text));
    }
    case Kind::compare:
      return compared(expression, frame);
    case Kind::choice:
      if (part(1).truth()) return part(0);
      return parts[2] ? part(2) : Value(Undefined{"the value of 'if' without 'else'"});
    case Kind::attribute:
      return attribute(part(0), expression.name);
    case Kind::item: {
      const Value value = part(0);
      spend(value.text() ? value.weight() : 0);
      return get_item(value, part(1));
    }
    case Kind::slice: {
      const Value value = part(0), begin = part_or_none(1), end = part_or_none(2), step = part_or_none(3);
      spend(value.text() ? value.weight() : 0);
      return made(slice(value, begin, end, step));
    }
    case Kind::call:
      return called(expression, frame);
    case Kind::filter: {
      const Value value = part(0);
      spend(value.text() ? value.weight() : value.list() ? value.list()->items.size() : 0);
      return made(apply_filter(expression.name, value, arguments(expression, frame)));
    }
    case Kind::test: {
      const Value value = part(0);
      return apply_test(expression.name, value, arguments(expression, frame));
    }
  }
  return Value();
}

// Chained comparison: a < b < c is true if both are; c is not evaluated if a < b is false.
Value Evaluator::compared(const Expression& expression, Frame& frame) {
  Value left = evaluate(*expression.parts[0], frame);
  for (size_t i = 0; i < expression.operators.size(); ++i) {
    Value right = evaluate(*expression.parts[i + 1], frame);
    spend(std::min(left.weight(), right.weight()));
    if (expression.operators[i].ends_with("in")) spend(right.weight());
    if (!holds(expression.operators[i], left, right)) return false;
    left = std::move(right);
  }
  return true;
}

Value Evaluator::called(const Expression& expression, Frame& frame) {
  const Expression& function = *expression.parts[0];
  Value callee;
  if (function.kind == Kind::attribute) {
    const Value of = evaluate(*function.parts[0], frame);
    spend(of.text() ? of.weight() : 0);
    callee = attribute(of, function.name);
  } else {
    callee = evaluate(function, frame);
  }
  if (const auto* undefined = std::get_if<Undefined>(&callee.any()))
    throw TemplateError(undefined->name + " is undefined, so it can't be called");
  if (!callee.callable()) throw TemplateError(std::string(callee.kind()) + " can't be called");
  const Arguments given = arguments(expression, frame);
  return made(callee.callable()->call(given));
}

std::vector<Value> Evaluator::values(const Expression& expression, size_t first, Frame& frame) {
  std::vector<Value> all;
  for (size_t i = first; i < expression.parts.size(); ++i) all.push_back(evaluate(*expression.parts[i], frame));
  return all;
}

Arguments Evaluator::arguments(const Expression& expression, Frame& frame) {
  Arguments given{values(expression, 1, frame), {}};
  for (const auto& [name, value] : expression.named) given.named.emplace_back(name, evaluate(*value, frame));
  return given;
}

}  // namespace compeer::language::jinja
