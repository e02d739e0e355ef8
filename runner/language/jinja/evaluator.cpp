// Runs statements: output, conditions, loops, assignments and macros.
#include "language/jinja/evaluator.h"

#include <fmt/format.h>

#include <algorithm>

#include "language/jinja/lexer.h"
#include "language/jinja/printing.h"

namespace compeer::language::jinja {

namespace {

constexpr size_t step_limit = 5'000'000;
constexpr size_t bytes = size_t{1} << 28;  // of all texts created during a run
constexpr int deepest = 1000;

}  // namespace

Evaluator::DepthGuard::DepthGuard(Evaluator& evaluator) : evaluator_(evaluator) {
  if (++evaluator_.depth_ <= deepest) return;
  --evaluator_.depth_;
  throw TemplateError("the template calls itself, or nests, more than " + std::to_string(deepest) + " levels");
}

Evaluator::Evaluator(const std::string& where, const Variables& variables, std::time_t now) : where_(where) {
  add_functions(now);
  functions_.insert(functions_.begin(), variables.begin(), variables.end());
}

Evaluator::~Evaluator() {
  for (const auto& space : namespaces_) space->members.clear();
}

Text Evaluator::run(const Block& block) {
  Text out;
  out_ = &out;
  try {
    run_block(block, root_);
  } catch (const TemplateError& trouble) {
    fail_at(where_, line_, trouble.what());
  }
  return out;
}

void Evaluator::spend(size_t steps) {
  steps_ += steps;
  if (steps_ > step_limit) throw TemplateError("the template takes more than " + std::to_string(step_limit) + " steps");
}

Value Evaluator::made(Value value) {
  if (const Text* text = value.text()) {
    bytes_ += text->size();
    if (bytes_ > bytes) throw TemplateError("the template makes more than " + std::to_string(bytes) + " bytes of text");
    spend(text->size() / 64);
  } else if (value.list()) {
    spend(value.list()->items.size());
  } else if (value.dict()) {
    spend(value.dict()->members.size());
  }
  return value;
}

Evaluator::Flow Evaluator::run_block(const Block& block, Frame& frame) {
  for (const auto& statement : block) {
    if (const Flow flow = run(*statement, frame); flow != Flow::on) return flow;
  }
  return Flow::on;
}

Evaluator::Flow Evaluator::run(const Statement& statement, Frame& frame) {
  const DepthGuard deeper(*this);
  spend(1);
  line_ = statement.line;
  switch (statement.kind) {
    case Statement::Kind::text:
      out_->append(statement.text, false);
      break;
    case Statement::Kind::print:
      out_->append(*made(printed(evaluate(*statement.expression, frame))).text());
      break;
    case Statement::Kind::if_:
      return run_if(statement, frame);
    case Statement::Kind::for_:
      run_for(statement, frame);
      break;
    case Statement::Kind::set:
      set(statement.names, evaluate(*statement.expression, frame), frame);
      break;
    case Statement::Kind::set_member:
      set_member(statement, frame);
      break;
    case Statement::Kind::set_block: {
      Frame inner{&frame, {}};
      set(statement.names, captured(statement.body, inner), frame);
      break;
    }
    case Statement::Kind::macro:
      define_macro(statement, frame);
      break;
    case Statement::Kind::generation: {
      Frame inner{&frame, {}};
      run_block(statement.body, inner);
      break;
    }
    case Statement::Kind::break_:
      return Flow::leave;
    case Statement::Kind::continue_:
      return Flow::again;
  }
  return Flow::on;
}

Evaluator::Flow Evaluator::run_if(const Statement& statement, Frame& frame) {
  for (const auto& [condition, body] : statement.branches) {
    if (evaluate(*condition, frame).truth()) return run_block(body, frame);
  }
  return run_block(statement.otherwise, frame);
}

void Evaluator::run_for(const Statement& statement, Frame& frame) {
  std::shared_ptr<const List> items = items_of(evaluate(*statement.expression, frame));
  spend(items->items.size());
  if (statement.condition) {
    std::vector<Value> kept;
    for (const Value& item : items->items) {
      Frame inner{&frame, {}};
      set(statement.names, item, inner);
      if (evaluate(*statement.condition, inner).truth()) kept.push_back(item);
    }
    items = std::make_shared<const List>(std::move(kept));
  }
  Flow flow = Flow::on;
  for (size_t i = 0; i < items->items.size() && flow != Flow::leave; ++i) {
    Frame inner{&frame, {}};
    inner.names.emplace_back("loop", std::make_shared<const Loop>(Loop{items, i}));
    set(statement.names, items->items[i], inner);
    flow = run_block(statement.body, inner);
  }
  if (items->items.empty()) {
    Frame inner{&frame, {}};
    run_block(statement.otherwise, inner);
  }
}

void Evaluator::set(const std::vector<std::string>& names, const Value& value, Frame& frame) {
  const auto assign = [&](const std::string& name, const Value& item) {
    for (auto& [known, old] : frame.names) {
      if (known == name) {
        old = item;
        return;
      }
    }
    frame.names.emplace_back(name, item);
  };
  if (names.size() == 1) return assign(names[0], value);
  const auto parts = items_of(value);
  if (parts->items.size() != names.size())
    throw TemplateError(fmt::format("{} values can't be unpacked into {} names", parts->items.size(), names.size()));
  for (size_t i = 0; i < names.size(); ++i) assign(names[i], parts->items[i]);
}

void Evaluator::set_member(const Statement& statement, Frame& frame) {
  const Value target = look_up(statement.names[0], frame);
  Namespace* space = target.space();
  if (!space) throw TemplateError("'" + statement.names[0] + "' is not a namespace, so its members can't be set");
  const Value value = evaluate(*statement.expression, frame);
  for (auto& [name, old] : space->members) {
    if (name == statement.names[1]) {
      old = value;
      return;
    }
  }
  space->members.emplace_back(statement.names[1], value);
}

void Evaluator::define_macro(const Statement& statement, Frame& frame) {
  if (&frame != &root_) throw TemplateError("a macro within a loop or macro is not supported");
  set({statement.names[0]},
      Callable{statement.names[0],
               [this, &statement](const Arguments& arguments) { return call_macro(statement, root_, arguments); }},
      frame);
}

Value Evaluator::call_macro(const Statement& statement, Frame& frame, const Arguments& arguments) {
  const size_t count = statement.names.size() - 1, first_default = count - statement.defaults.size();
  if (arguments.positional.size() > count)
    throw TemplateError(fmt::format("the macro '{}' takes at most {} arguments", statement.names[0], count));
  for (const auto& [name, value] : arguments.named) {
    if (std::find(statement.names.begin() + 1, statement.names.end(), name) == statement.names.end())
      throw TemplateError(fmt::format("the macro '{}' has no parameter '{}'", statement.names[0], name));
  }
  Frame inner{&frame, {}};
  for (size_t i = 0; i < count; ++i) {
    const std::string& name = statement.names[i + 1];
    const Value* given = arguments.find(i, name);
    Value value = given ? *given : Value(Undefined{"'" + name + "'"});
    if (!given && i >= first_default) value = evaluate(*statement.defaults[i - first_default], inner);
    inner.names.emplace_back(name, std::move(value));
  }
  return captured(statement.body, inner);
}

Text Evaluator::captured(const Block& block, Frame& frame) {
  Text text;
  Text* const before = std::exchange(out_, &text);
  run_block(block, frame);
  out_ = before;
  return *made(std::move(text)).text();
}

}  // namespace compeer::language::jinja
