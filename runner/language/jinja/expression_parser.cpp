// Parses expressions with Jinja's operator precedence.
#include "language/jinja/expression_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "language/jinja/filters.h"
#include "language/jinja/tests.h"

namespace compeer::language::jinja {

namespace {

constexpr int deepest = 100;       // nesting of brackets and blocks
constexpr int deepest_tree = 400;  // depth of an expression tree; a + b + c + ... is as deep as it is long

using Kind = Expression::Kind;

std::string shown(const Lexeme& token) {
  switch (token.kind) {
    case Lexeme::Kind::end:
    case Lexeme::Kind::data:
      return "the end of the tag";
    case Lexeme::Kind::block_end:
      return "'%}'";
    case Lexeme::Kind::print_end:
      return "'}}'";
    default:
      return "'" + token.text.substr(0, 60) + "'";
  }
}

}  // namespace

ExpressionParser::ExpressionParser(std::vector<Lexeme> tokens, const std::string& where)
    : tokens_(std::move(tokens)), where_(where) {}

ExpressionParser::DepthGuard::DepthGuard(ExpressionParser& parser) : parser_(parser) {
  if (++parser_.depth_ > deepest) parser_.fail(fmt::format("nests more than {} levels", deepest));
}

void ExpressionParser::fail(const std::string& what, const std::string& help) const {
  fail_at(where_, now().line, what, help);
}

void ExpressionParser::unexpected(const std::string& wanted) const {
  fail(fmt::format("expected {}, found {}", wanted, shown(now())));
}

Lexeme ExpressionParser::take() {
  Lexeme token = now();
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool ExpressionParser::take_name(std::string_view name) { return sees_name(name) && (take(), true); }
bool ExpressionParser::take_sign(std::string_view sign) { return sees_sign(sign) && (take(), true); }

void ExpressionParser::want_sign(std::string_view sign) {
  if (!take_sign(sign)) unexpected(fmt::format("'{}'", sign));
}

std::string ExpressionParser::want_name() {
  if (now().kind != Lexeme::Kind::name) unexpected("a name");
  return take().text;
}

void ExpressionParser::finish(Expression& expression) const {
  for (const auto& part : expression.parts) expression.depth = std::max(expression.depth, part ? part->depth + 1 : 0);
  for (const auto& [name, part] : expression.named) expression.depth = std::max(expression.depth, part->depth + 1);
  if (expression.depth > deepest_tree) fail(fmt::format("an expression nests more than {} levels", deepest_tree));
}

ExpressionPtr ExpressionParser::make(Kind kind, std::vector<ExpressionPtr> parts, std::string name) {
  auto made =
      std::make_unique<Expression>(Expression{kind, now().line, std::move(name), Value(), std::move(parts), {}, {}});
  finish(*made);
  return made;
}

namespace {
std::vector<ExpressionPtr> both(ExpressionPtr a, ExpressionPtr b) {
  std::vector<ExpressionPtr> parts;
  parts.push_back(std::move(a));
  parts.push_back(std::move(b));
  return parts;
}
std::vector<ExpressionPtr> one(ExpressionPtr a) {
  std::vector<ExpressionPtr> parts;
  parts.push_back(std::move(a));
  return parts;
}
}  // namespace

ExpressionPtr ExpressionParser::constant(Value value) {
  auto made = make(Kind::constant, {});
  made->value = std::move(value);
  return made;
}

ExpressionPtr ExpressionParser::expression() {
  const DepthGuard deeper(*this);
  auto value = or_expression();
  while (take_name("if")) {
    auto parts = both(std::move(value), or_expression());
    parts.push_back(take_name("else") ? expression() : nullptr);
    value = make(Kind::choice, std::move(parts));
  }
  return value;
}

ExpressionPtr ExpressionParser::expression_or_tuple() {
  auto value = expression();
  if (!sees_sign(",")) return value;
  auto parts = one(std::move(value));
  while (take_sign(",")) {
    if (now().kind == Lexeme::Kind::block_end || now().kind == Lexeme::Kind::print_end) break;
    parts.push_back(expression());
  }
  return make(Kind::tuple, std::move(parts));
}

ExpressionPtr ExpressionParser::or_expression() {
  auto value = and_expression();
  while (take_name("or")) value = make(Kind::or_, both(std::move(value), and_expression()));
  return value;
}

ExpressionPtr ExpressionParser::and_expression() {
  auto value = not_expression();
  while (take_name("and")) value = make(Kind::and_, both(std::move(value), not_expression()));
  return value;
}

ExpressionPtr ExpressionParser::not_expression() {
  const DepthGuard deeper(*this);
  if (take_name("not")) return make(Kind::not_, one(not_expression()));
  return comparison();
}

ExpressionPtr ExpressionParser::comparison() {
  static constexpr std::string_view signs[] = {"==", "!=", "<", "<=", ">", ">="};
  auto parts = one(sum());
  std::vector<std::string> operators;
  for (;;) {
    const bool sign = now().kind == Lexeme::Kind::sign && std::count(std::begin(signs), std::end(signs), now().text);
    if (sign || sees_name("in")) {
      operators.push_back(take().text);
    } else if (sees_name("not") && ahead().kind == Lexeme::Kind::name && ahead().text == "in") {
      take(), take();
      operators.emplace_back("not in");
    } else {
      break;
    }
    parts.push_back(sum());
  }
  if (operators.empty()) return std::move(parts[0]);
  auto made = make(Kind::compare, std::move(parts));
  made->operators = std::move(operators);
  return made;
}

ExpressionPtr ExpressionParser::sum() {
  auto value = concatenation();
  while (sees_sign("+") || sees_sign("-")) {
    const auto sign = take().text;
    value = make(Kind::arithmetic, both(std::move(value), concatenation()), sign);
  }
  return value;
}

ExpressionPtr ExpressionParser::concatenation() {
  auto value = product();
  if (!sees_sign("~")) return value;
  auto parts = one(std::move(value));
  while (take_sign("~")) parts.push_back(product());
  return make(Kind::concatenate, std::move(parts));
}

ExpressionPtr ExpressionParser::product() {
  auto value = power();
  while (sees_sign("*") || sees_sign("/") || sees_sign("//") || sees_sign("%")) {
    const auto sign = take().text;
    value = make(Kind::arithmetic, both(std::move(value), power()), sign);
  }
  return value;
}

ExpressionPtr ExpressionParser::power() {
  auto value = signed_value(true);
  while (take_sign("**")) value = make(Kind::arithmetic, both(std::move(value), signed_value(true)), "**");
  return value;
}

// A sign binds tighter than a filter: -1|abs is (-1)|abs.
ExpressionPtr ExpressionParser::signed_value(bool with_filters) {
  const DepthGuard deeper(*this);
  ExpressionPtr value;
  if (take_sign("-")) {
    value = make(Kind::negative, one(signed_value(false)));
  } else if (take_sign("+")) {
    value = make(Kind::positive, one(signed_value(false)));
  } else {
    value = primary();
  }
  value = postfix(std::move(value));
  return with_filters ? filters(std::move(value)) : std::move(value);
}

ExpressionPtr ExpressionParser::primary() {
  const Lexeme& token = now();
  if (token.kind == Lexeme::Kind::integer || token.kind == Lexeme::Kind::decimal) return number();
  if (token.kind == Lexeme::Kind::text) return texts();
  if (token.kind == Lexeme::Kind::name) {
    const auto name = take().text;
    if (name == "true" || name == "True") return constant(true);
    if (name == "false" || name == "False") return constant(false);
    if (name == "none" || name == "None") return constant(nullptr);
    return make(Kind::name, {}, name);
  }
  if (take_sign("(")) return bracketed();
  if (take_sign("[")) return list();
  if (take_sign("{")) return dict();
  unexpected("a value");
}

ExpressionPtr ExpressionParser::number() {
  const Lexeme token = take();
  const char *begin = token.text.data(), *end = begin + token.text.size();
  if (token.kind == Lexeme::Kind::decimal) {
    double value = 0;
    if (std::from_chars(begin, end, value).ptr != end) fail("'" + token.text + "' is not a number");
    return constant(value);
  }
  int64_t value = 0;
  if (const auto read = std::from_chars(begin, end, value); read.ptr != end || read.ec != std::errc())
    fail("the number " + token.text + " needs more than 64 bits");
  return constant(value);
}

// Adjacent string literals are concatenated.
ExpressionPtr ExpressionParser::texts() {
  std::string text;
  while (now().kind == Lexeme::Kind::text) text += take().text;
  return constant(Text(text));
}

// After "(": a parenthesized expression, or a tuple.
ExpressionPtr ExpressionParser::bracketed() {
  std::vector<ExpressionPtr> parts;
  bool tuple = false;
  while (!sees_sign(")")) {
    parts.push_back(expression());
    if (!take_sign(",")) break;
    tuple = true;
  }
  want_sign(")");
  if (tuple || parts.empty()) return make(Kind::tuple, std::move(parts));
  return std::move(parts[0]);
}

ExpressionPtr ExpressionParser::list() {
  std::vector<ExpressionPtr> parts;
  while (!sees_sign("]")) {
    parts.push_back(expression());
    if (!take_sign(",")) break;
  }
  want_sign("]");
  return make(Kind::list, std::move(parts));
}

ExpressionPtr ExpressionParser::dict() {
  std::vector<ExpressionPtr> parts;
  while (!sees_sign("}")) {
    parts.push_back(expression());
    want_sign(":");
    parts.push_back(expression());
    if (!take_sign(",")) break;
  }
  want_sign("}");
  return make(Kind::dict, std::move(parts));
}

ExpressionPtr ExpressionParser::postfix(ExpressionPtr value) {
  for (;;) {
    if (take_sign(".")) {
      if (now().kind == Lexeme::Kind::integer) {
        auto index = number();
        value = make(Kind::item, both(std::move(value), std::move(index)));
      } else {
        auto name = want_name();
        value = make(Kind::attribute, one(std::move(value)), std::move(name));
      }
    } else if (take_sign("[")) {
      value = subscript(std::move(value));
    } else if (sees_sign("(")) {
      value = make(Kind::call, one(std::move(value)));
      arguments(*value);
    } else {
      return value;
    }
  }
}

ExpressionPtr ExpressionParser::subscript(ExpressionPtr value) {
  std::vector<ExpressionPtr> parts = one(std::move(value));
  bool slice = false;
  const auto stands = [&] { return !sees_sign(":") && !sees_sign("]"); };
  parts.push_back(stands() ? expression() : nullptr);
  while (take_sign(":")) {
    slice = true;
    parts.push_back(stands() ? expression() : nullptr);
  }
  if (!slice && !parts[1]) unexpected("an index");
  if (parts.size() > 4) fail("a slice has more than three parts");
  if (sees_sign(",")) fail("an index of several values is not supported");
  want_sign("]");
  if (!slice) return make(Kind::item, std::move(parts));
  parts.resize(4);
  return make(Kind::slice, std::move(parts));
}

ExpressionPtr ExpressionParser::filters(ExpressionPtr value) {
  for (;;) {
    if (take_sign("|")) {
      value = filter(std::move(value));
    } else if (take_name("is")) {
      value = test(std::move(value));
    } else if (sees_sign("(")) {
      value = make(Kind::call, one(std::move(value)));
      arguments(*value);
    } else {
      return value;
    }
  }
}

ExpressionPtr ExpressionParser::filter(ExpressionPtr value) {
  auto name = want_name();
  if (!has_filter(name)) fail(fmt::format("the filter '{}' is not supported", name), suggest(name, filter_names()));
  auto made = make(Kind::filter, one(std::move(value)), std::move(name));
  if (sees_sign("(")) arguments(*made);
  return made;
}

ExpressionPtr ExpressionParser::test(ExpressionPtr value) {
  static constexpr std::string_view enders[] = {"else", "or", "and", "if", "is", "in", "not"};
  const bool negated = take_name("not");
  auto name = want_name();
  if (!has_test(name)) fail(fmt::format("the test '{}' is not supported", name), suggest(name, test_names()));
  auto made = make(Kind::test, one(std::move(value)), std::move(name));
  const bool value_follows =
      now().kind == Lexeme::Kind::text || now().kind == Lexeme::Kind::integer || now().kind == Lexeme::Kind::decimal ||
      sees_sign("[") || sees_sign("{") ||
      (now().kind == Lexeme::Kind::name && std::count(std::begin(enders), std::end(enders), now().text) == 0);
  if (sees_sign("(")) {
    arguments(*made);
  } else if (value_follows) {
    made->parts.push_back(postfix(primary()));
    finish(*made);
  }
  return negated ? make(Kind::not_, one(std::move(made))) : std::move(made);
}

void ExpressionParser::arguments(Expression& call) {
  const DepthGuard deeper(*this);
  want_sign("(");
  while (!sees_sign(")")) {
    if (sees_sign("*") || sees_sign("**")) fail("arguments with '*' are not supported");
    if (now().kind == Lexeme::Kind::name && ahead().kind == Lexeme::Kind::sign && ahead().text == "=") {
      auto name = take().text;
      take();
      call.named.emplace_back(std::move(name), expression());
    } else if (!call.named.empty()) {
      fail("a positional argument follows a named one");
    } else {
      call.parts.push_back(expression());
    }
    if (!take_sign(",")) break;
  }
  want_sign(")");
  finish(call);
}

}  // namespace compeer::language::jinja
