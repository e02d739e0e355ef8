#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "language/jinja/value.h"

namespace compeer::language::jinja {

// The syntax tree of a chat template: a template is a list of statements (Block), which contain expressions.

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
  int line;          ///< line of the template, from 1
  std::string name;  ///< name of a variable, attribute, filter or test, or the sign of an arithmetic operator
  Value value;       ///< value of a constant
  std::vector<ExpressionPtr> parts;                          ///< operands, items or positional arguments
  std::vector<std::pair<std::string, ExpressionPtr>> named;  ///< arguments given by name
  std::vector<std::string> operators;                        ///< signs of a chain of comparisons: "<", "not in"
  int depth = 1;                                             ///< height of the tree with this node as its root
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
    generation,  // body; marks a model's answer for training frameworks, without effect on the output
    break_,      // none
    continue_,   // none
  };
  /// One "if" or "elif" with its body.
  struct Branch {
    ExpressionPtr condition;
    Block body;
  };
  Kind kind;
  int line;                             ///< line of the template, from 1
  std::string text;                     ///< text between tags, copied to the output
  ExpressionPtr expression, condition;  ///< value to print, assign or loop over; condition on the items of a loop
  std::vector<std::string> names;       ///< variables to assign, or a macro's name and parameters
  std::vector<ExpressionPtr> defaults;  ///< default values of a macro's last parameters
  std::vector<Branch> branches;         ///< "if" and all "elif"
  Block body, otherwise;                ///< statements inside; statements of "else"
};

/// Parses a template. Throws Error (exit 4), naming `where` and the line, for syntax errors and unsupported statements,
/// filters and tests, even in parts that would never run.
Block parse(std::string_view source, const std::string& where);

}  // namespace compeer::language::jinja
