#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "language/jinja/value.h"

namespace compeer::language::jinja {

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

/// A node of an expression tree. The comment of each kind names the members it uses.
struct Expression {
  enum class Kind {
    constant,     // value
    name,         // name
    list,         // parts
    tuple,        // parts
    dict,         // parts: key, value, key, value, ...
    negative,     // parts[0]
    positive,     // parts[0]
    not_,         // parts[0]
    and_,         // parts[0], parts[1]
    or_,          // parts[0], parts[1]
    arithmetic,   // parts[0] name parts[1]
    concatenate,  // parts, joined as texts
    compare,      // parts[0] operators[0] parts[1] operators[1] ...
    choice,       // parts: value, condition, otherwise (may be null)
    attribute,    // parts[0].name
    item,         // parts[0][parts[1]]
    slice,        // parts[0][parts[1] : parts[2] : parts[3]], any of these three may be null
    call,         // parts[0](parts[1], ..., named)
    filter,       // parts[0] | name(parts[1], ..., named)
    test,         // parts[0] is name(parts[1], ...)
  };
  Kind kind;
  int line;
  std::string name;
  Value value;
  std::vector<ExpressionPtr> parts;
  std::vector<std::pair<std::string, ExpressionPtr>> named;
  std::vector<std::string> operators;
  int depth = 1;  // of the tree below this node
};

struct Statement;
using Block = std::vector<std::unique_ptr<Statement>>;

/// A statement. The comment of each kind names the members it uses.
struct Statement {
  enum class Kind {
    text,        // text
    print,       // expression
    if_,         // branches; otherwise
    for_,        // names in expression [if condition]: body; otherwise
    set,         // names = expression
    set_member,  // names[0].names[1] = expression
    set_block,   // names[0] = body as text
    macro,       // names[0](names[1], ...): body; defaults of the last parameters
    generation,  // body
    break_,
    continue_,
  };
  struct Branch {
    ExpressionPtr condition;
    Block body;
  };
  Kind kind;
  int line;
  std::string text;
  ExpressionPtr expression, condition;
  std::vector<std::string> names;
  std::vector<ExpressionPtr> defaults;
  std::vector<Branch> branches;
  Block body, otherwise;
};

/// Parses a template. Throws Error (exit 4), naming `where` and the line, for syntax errors and unsupported statements,
/// filters and tests, even in parts that would never run.
Block parse(std::string_view source, const std::string& where);

}  // namespace compeer::language::jinja
