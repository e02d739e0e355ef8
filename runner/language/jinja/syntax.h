#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "language/jinja/value.h"

// The syntax tree of a chat template: a list of statements with expressions.

namespace compeer::language::jinja {

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

/// A node of an expression tree. The comment of each kind names the members it uses.
struct Expression {
  enum class Kind {
    constant,     // value: a literal
    name,         // name: a variable or function
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
    choice,       // parts[0] if parts[1] else parts[2], which may be null
    attribute,    // parts[0].name
    item,         // parts[0][parts[1]]
    slice,        // parts[0][parts[1] : parts[2] : parts[3]], any of these three may be null
    call,         // parts[0](parts[1], ..., named)
    filter,       // parts[0] | name(parts[1], ..., named)
    test,         // parts[0] is name(parts[1], ...)
  };
  Kind kind;
  int line;                                                  // line in the template, from 1
  std::string name;                                          // name or operator
  Value value;                                               // value of a literal
  std::vector<ExpressionPtr> parts;                          // operands
  std::vector<std::pair<std::string, ExpressionPtr>> named;  // arguments that are passed by name
  std::vector<std::string> operators;                        // ==, !=, <, <=, >, >=, in, not in
  int depth = 1;                                             // depth of the tree with this node as root
};

struct Statement;
using Block = std::vector<std::unique_ptr<Statement>>;

/// A statement. The comment of each kind names the members it uses.
struct Statement {
  enum class Kind {
    text,        // text, written as it is
    print,       // {{ expression }}
    if_,         // branches, tried in order; otherwise
    for_,        // names in expression [if condition]: body; otherwise
    set,         // names = expression
    set_member,  // names[0].names[1] = expression
    set_block,   // names[0] = body as text
    macro,       // names[0](names[1], ...): body; defaults of the last parameters
    generation,  // body: {% generation %}, which marks an assistant's text for training and changes no output
    break_,      // ends a loop
    continue_,   // ends an iteration of a loop
  };
  /// An if or elif of an if statement.
  struct Branch {
    ExpressionPtr condition;
    Block body;
  };
  Kind kind;
  int line;                             // line in the template, from 1
  std::string text;                     // text outside blocks
  ExpressionPtr expression, condition;  // null: not used by this kind; condition: no condition
  std::vector<std::string> names;       // names of variables or of a macro and its parameters
  std::vector<ExpressionPtr> defaults;  // default values of a macro's last parameters
  std::vector<Branch> branches;
  Block body, otherwise;  // otherwise: block after else; empty: none
};

/// Parses a template. Throws Error (exit code 4: invalid data), naming `where` and the line, for syntax errors and
/// unsupported statements, filters and tests, even in parts that would never run.
Block parse(std::string_view source, const std::string& where);

}  // namespace compeer::language::jinja
