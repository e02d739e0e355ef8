// Parses the statements of a template.
#include "language/jinja/syntax.h"

#include <fmt/format.h>

#include "base/error.h"
#include "language/jinja/expression_parser.h"

namespace compeer::language::jinja {

namespace {

using Kind = Statement::Kind;

class TemplateParser : public ExpressionParser {
 public:
  using ExpressionParser::ExpressionParser;

  Block whole() {
    Block block = statements({});
    if (now().kind != Lexeme::Kind::end) fail(fmt::format("'{}' has no matching statement", ahead().text));
    return block;
  }

 private:
  static std::unique_ptr<Statement> make(Kind kind, int line) {
    auto made = std::make_unique<Statement>();
    made->kind = kind;
    made->line = line;
    return made;
  }

  // Parses statements up to a tag that begins with one of the names, without consuming it.
  Block statements(std::initializer_list<std::string_view> ends) {
    const DepthGuard deeper(*this);
    Block block;
    for (;;) {
      switch (now().kind) {
        case Lexeme::Kind::end:
          if (ends.size() > 0) fail(fmt::format("'{}' is missing at the end of the template", *(ends.end() - 1)));
          return block;
        case Lexeme::Kind::data:
          block.push_back(make(Kind::text, now().line));
          block.back()->text = take().text;
          break;
        case Lexeme::Kind::print_begin:
          block.push_back(print());
          break;
        default:
          if (ahead().kind != Lexeme::Kind::name) take(), unexpected("the name of a statement");
          if (std::find(ends.begin(), ends.end(), ahead().text) != ends.end()) return block;
          if (ahead().text.starts_with("end") || ahead().text.starts_with("el")) return block;
          block.push_back(statement());
      }
    }
  }

  std::unique_ptr<Statement> print() {
    take();
    auto made = make(Kind::print, now().line);
    made->expression = expression_or_tuple();
    if (now().kind != Lexeme::Kind::print_end) unexpected("'}}'");
    take();
    return made;
  }

  void end_tag() {
    if (now().kind != Lexeme::Kind::block_end) unexpected("'%}'");
    take();
  }
  void close(std::string_view name) {
    if (now().kind != Lexeme::Kind::block_begin || ahead().text != name)
      fail(fmt::format("expected '{}', found '{}'", name, ahead().text));
    take(), take();
    end_tag();
  }
  bool opens(std::string_view name) const { return now().kind == Lexeme::Kind::block_begin && ahead().text == name; }
  bool take_tag(std::string_view name) { return opens(name) && (take(), take(), true); }

  std::unique_ptr<Statement> statement() {
    take();
    const int line = now().line;
    const auto name = want_name();
    if (name == "if") return if_statement(line);
    if (name == "for") return for_statement(line);
    if (name == "set") return set_statement(line);
    if (name == "macro") return macro(line);
    if (name == "generation") {
      end_tag();
      auto made = make(Kind::generation, line);
      made->body = statements({"endgeneration"});
      close("endgeneration");
      return made;
    }
    if (name == "break" || name == "continue") {
      if (loops_ == 0) fail(fmt::format("'{}' outside a loop", name));
      end_tag();
      return make(name == "break" ? Kind::break_ : Kind::continue_, line);
    }
    fail_unsupported(name);
  }

  [[noreturn]] void fail_unsupported(const std::string& name) const {
    fail(fmt::format("the statement '{}' is not supported", name),
         suggest(name, {"if", "for", "set", "macro", "generation", "break", "continue", "raw"}));
  }

  std::unique_ptr<Statement> if_statement(int line) {
    auto made = make(Kind::if_, line);
    do {
      auto condition = expression_or_tuple();
      end_tag();
      made->branches.push_back({std::move(condition), statements({"elif", "else", "endif"})});
    } while (take_tag("elif"));
    if (take_tag("else")) {
      end_tag();
      made->otherwise = statements({"endif"});
    }
    close("endif");
    return made;
  }

  // Parses the targets of an assignment: "a", or "a, b" with or without parentheses.
  std::vector<std::string> targets() {
    const bool brackets = take_sign("(");
    std::vector<std::string> names{want_name()};
    while (take_sign(",") && now().kind == Lexeme::Kind::name && !sees_name("in")) names.push_back(want_name());
    if (brackets) want_sign(")");
    return names;
  }

  std::unique_ptr<Statement> for_statement(int line) {
    auto made = make(Kind::for_, line);
    made->names = targets();
    if (!take_name("in")) unexpected("'in'");
    made->expression = or_expression();
    if (sees_sign(",")) fail("put brackets around the values of a loop");
    if (take_name("if")) made->condition = expression();
    if (sees_name("recursive")) fail("'recursive' loops are not supported");
    end_tag();
    ++loops_;
    made->body = statements({"else", "endfor"});
    --loops_;
    if (take_tag("else")) {
      end_tag();
      made->otherwise = statements({"endfor"});
    }
    close("endfor");
    return made;
  }

  std::unique_ptr<Statement> set_statement(int line) {
    auto made = make(Kind::set, line);
    made->names = targets();
    if (made->names.size() == 1 && take_sign(".")) {
      made->kind = Kind::set_member;
      made->names.push_back(want_name());
    }
    if (take_sign("=")) {
      made->expression = expression_or_tuple();
      end_tag();
      return made;
    }
    if (made->kind == Kind::set_member || made->names.size() > 1) unexpected("'='");
    if (sees_sign("|")) fail("filters in a 'set' block are not supported");
    made->kind = Kind::set_block;
    end_tag();
    made->body = statements({"endset"});
    close("endset");
    return made;
  }

  std::unique_ptr<Statement> macro(int line) {
    auto made = make(Kind::macro, line);
    made->names.push_back(want_name());
    want_sign("(");
    while (!sees_sign(")")) {
      made->names.push_back(want_name());
      if (take_sign("=")) {
        made->defaults.push_back(expression());
      } else if (!made->defaults.empty()) {
        fail("a parameter without a default follows one with a default");
      }
      if (!take_sign(",")) break;
    }
    want_sign(")");
    end_tag();
    const int loops = std::exchange(loops_, 0);
    made->body = statements({"endmacro"});
    loops_ = loops;
    close("endmacro");
    return made;
  }

  int loops_ = 0;  // number of enclosing loops
};

}  // namespace

Block parse(std::string_view source, const std::string& where) {
  return TemplateParser(tokens(source, where), where).whole();
}

}  // namespace compeer::language::jinja
