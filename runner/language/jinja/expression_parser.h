#pragma once
#include <string>
#include <vector>

#include "language/jinja/lexer.h"
#include "language/jinja/syntax.h"

namespace compeer::language::jinja {

/// Recursive-descent parser of expressions; the parser of statements derives from it. Errors are Error (exit 4), with
/// the line.
class ExpressionParser {
 public:
  /// `where`: name of the template in errors; must outlive the object.
  ExpressionParser(std::vector<Lexeme> tokens, const std::string& where);

 protected:
  ExpressionPtr expression();           ///< any expression, including "a if b else c"
  ExpressionPtr expression_or_tuple();  ///< also "a, b"
  ExpressionPtr or_expression();        ///< without "a if b else c"
  ExpressionPtr primary();

  const Lexeme& now() const { return tokens_[at_]; }
  const Lexeme& ahead() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  // sees_*: true if the current token is this one; take_*: the same, and consumes it if so; want_*: consumes it, or
  // fails.
  Lexeme take();
  bool sees(Lexeme::Kind kind, std::string_view text) const { return now().kind == kind && now().text == text; }
  bool sees_name(std::string_view name) const { return sees(Lexeme::Kind::name, name); }
  bool sees_sign(std::string_view sign) const { return sees(Lexeme::Kind::sign, sign); }
  bool take_name(std::string_view name);
  bool take_sign(std::string_view sign);
  void want_sign(std::string_view sign);
  std::string want_name();
  [[noreturn]] void fail(const std::string& what, const std::string& help = "") const;
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
  ExpressionPtr make(Expression::Kind kind, std::vector<ExpressionPtr> parts, std::string name = "");
  ExpressionPtr constant(Value value);
  ExpressionPtr and_expression();
  ExpressionPtr not_expression();
  ExpressionPtr comparison();
  ExpressionPtr sum();
  ExpressionPtr concatenation();
  ExpressionPtr product();
  ExpressionPtr power();
  ExpressionPtr signed_value(bool with_filters);
  ExpressionPtr bracketed();
  ExpressionPtr list();
  ExpressionPtr dict();
  ExpressionPtr number();
  ExpressionPtr texts();
  ExpressionPtr postfix(ExpressionPtr value);
  ExpressionPtr subscript(ExpressionPtr value);
  ExpressionPtr filters(ExpressionPtr value);
  ExpressionPtr filter(ExpressionPtr value);
  ExpressionPtr test(ExpressionPtr value);
  void arguments(Expression& call);
  void finish(Expression& expression) const;  ///< sets and checks its depth

  std::vector<Lexeme> tokens_;
  const std::string& where_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace compeer::language::jinja
