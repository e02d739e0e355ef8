#pragma once
#include <string>
#include <vector>

#include "language/jinja/lexer.h"
#include "language/jinja/syntax.h"

namespace compeer::language::jinja {

/// Recursive-descent parser of the expressions in a chat template: tokens -> Expression trees. The parser of statements
/// derives from it. Errors are Error (exit code 4: a file's contents are invalid), with template and line.
///
/// Functions that return an ExpressionPtr parse the construct that they are named after, beginning with the current
/// token, and leave the first token after it as the current one. Each precedence level has a function, which calls that
/// of the next higher level for its operands.
class ExpressionParser {
 public:
  /// `tokens` ends with a token of kind `end`. `where`: name of the template in errors; must outlive the object.
  ExpressionParser(std::vector<Lexeme> tokens, const std::string& where);

 protected:
  ExpressionPtr expression();           ///< any expression, including "a if b else c"
  ExpressionPtr expression_or_tuple();  ///< also "a, b"
  ExpressionPtr or_expression();        ///< without "a if b else c", which would end a for loop's list
  ExpressionPtr primary();              ///< a constant, a name, or something in brackets

  const Lexeme& now() const { return tokens_[at_]; }                                      ///< the current token
  const Lexeme& ahead() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }  ///< the token after it
  Lexeme take();  ///< returns the current token and advances to the next
  /// sees_*: true if the current token is this one. take_*: the same, and advances if it is. want_*: advances, or
  /// throws if the current token is another one; want_name accepts and returns any name.
  bool sees(Lexeme::Kind kind, std::string_view text) const { return now().kind == kind && now().text == text; }
  bool sees_name(std::string_view name) const { return sees(Lexeme::Kind::name, name); }
  bool sees_sign(std::string_view sign) const { return sees(Lexeme::Kind::sign, sign); }
  bool take_name(std::string_view name);
  bool take_sign(std::string_view sign);
  void want_sign(std::string_view sign);
  std::string want_name();
  /// Throws Error at the current line.
  [[noreturn]] void fail(const std::string& what, const std::string& help = "") const;
  /// Throws Error: "expected `wanted`", with the current token.
  [[noreturn]] void unexpected(const std::string& wanted) const;

  /// Counts the nesting depth of the parser while it lives, and fails before the stack overflows.
  class DepthGuard {
   public:
    explicit DepthGuard(ExpressionParser& parser);
    ~DepthGuard() { --parser_.depth_; }
    DepthGuard(const DepthGuard&) = delete;
    DepthGuard& operator=(const DepthGuard&) = delete;

   private:
    ExpressionParser& parser_;
  };

 private:
  // Create a node at the current line.
  ExpressionPtr make(Expression::Kind kind, std::vector<ExpressionPtr> parts, std::string name = "");
  ExpressionPtr constant(Value value);

  // Operators, from the lowest precedence to the highest.
  ExpressionPtr and_expression();
  ExpressionPtr not_expression();
  ExpressionPtr comparison();     // "==", "<", "in", "not in", ..., chained as in Python
  ExpressionPtr sum();            // "+" and "-"
  ExpressionPtr concatenation();  // "~"
  ExpressionPtr product();        // "*", "/", "//" and "%"
  ExpressionPtr power();          // "**"
  // A value with an optional sign. `with_filters`: also parses the filters and tests that follow.
  ExpressionPtr signed_value(bool with_filters);

  // Primaries. The opening bracket of the first three has been consumed.
  ExpressionPtr bracketed();  // "(...)": an expression in parentheses, or a tuple
  ExpressionPtr list();
  ExpressionPtr dict();
  ExpressionPtr number();
  ExpressionPtr texts();  // adjacent string literals, joined

  // Each appends what follows `value` to it.
  ExpressionPtr postfix(ExpressionPtr value);    // any number of ".name", "[...]" and "(...)"
  ExpressionPtr subscript(ExpressionPtr value);  // an index or slice after "["
  ExpressionPtr filters(ExpressionPtr value);    // any number of filters, tests and calls of their results
  ExpressionPtr filter(ExpressionPtr value);     // one filter after "|"
  ExpressionPtr test(ExpressionPtr value);       // one test after "is"

  void arguments(Expression& call);           // parses "(...)" and adds the arguments to `call`
  void finish(Expression& expression) const;  // sets the expression's depth; throws if it is too large

  std::vector<Lexeme> tokens_;
  const std::string& where_;
  size_t at_ = 0;  // index of the current token
  int depth_ = 0;  // number of DepthGuards that are alive
};

}  // namespace compeer::language::jinja
