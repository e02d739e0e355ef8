// Lua tables as changes of a spec, with the script's line of each key as its origin.
#include "script/changes.h"

#include <fmt/format.h>

#include <cctype>
#include <set>
#include <utility>

#include "lua/edge.h"
#include "lua/value.h"
#include "spec/dotted.h"

namespace compeer::script {

using namespace lua;
using spec::json;

namespace {

struct Token {
  enum Kind { name, text, sign, end } kind = end;
  std::string value;
  int line = 0;
  bool is(const char* what) const { return kind == sign && value == what; }
};

bool letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Splits Lua source into tokens: names (and numbers), strings, and single characters.
class Tokens {
 public:
  Tokens(const std::string& source, int line) : source_(source) {
    while (line_ < line && at_ < source_.size()) take();
  }

  Token next() {
    skip();
    Token token{Token::sign, "", line_};
    if (at_ == source_.size()) return {};
    if (letter(source_[at_])) {
      token.kind = Token::name;
      while (at_ < source_.size() && letter(source_[at_])) token.value += take();
    } else if (source_[at_] == '"' || source_[at_] == '\'') {
      token.kind = Token::text;
      const char quote = take();
      while (at_ < source_.size() && source_[at_] != quote && source_[at_] != '\n') {
        if (source_[at_] == '\\') take();
        if (at_ < source_.size()) token.value += take();
      }
      if (at_ < source_.size()) take();
    } else if (const size_t level = long_bracket(); level > 0) {
      token.kind = Token::text;
      token.value = long_text(level);
    } else {
      token.value = take();
      if (token.value == "=" && at_ < source_.size() && source_[at_] == '=') token.value += take();
    }
    return token;
  }

 private:
  char take() {
    if (source_[at_] == '\n') ++line_;
    return source_[at_++];
  }

  // Returns the length of an opening long bracket at this position: 2 for "[[", 3 for "[=[", ...; 0 if there is none.
  size_t long_bracket() const {
    if (source_[at_] != '[') return 0;
    size_t end = at_ + 1;
    while (end < source_.size() && source_[end] == '=') ++end;
    return end < source_.size() && source_[end] == '[' ? end - at_ + 1 : 0;
  }

  std::string long_text(size_t level) {
    const std::string close = "]" + std::string(level - 2, '=') + "]";
    for (size_t i = 0; i < level; ++i) take();
    std::string text;
    while (at_ < source_.size() && source_.compare(at_, close.size(), close) != 0) text += take();
    for (size_t i = 0; i < close.size() && at_ < source_.size(); ++i) take();
    return text;
  }

  void skip() {
    while (at_ < source_.size()) {
      if (std::isspace(static_cast<unsigned char>(source_[at_]))) {
        take();
      } else if (source_.compare(at_, 2, "--") == 0) {
        take(), take();
        if (const size_t level = at_ < source_.size() ? long_bracket() : 0; level > 0) {
          long_text(level);
        } else {
          while (at_ < source_.size() && source_[at_] != '\n') take();
        }
      } else {
        return;
      }
    }
  }

  const std::string& source_;
  size_t at_ = 0;
  int line_ = 1;
};

// Reads the table literal of a call and records the line of each key.
class TableReader {
 public:
  TableReader(const std::string& source, int line)
      : tokens_(source, line), now_(tokens_.next()), ahead_(tokens_.next()) {}

  std::map<std::string, int> read() {
    if (find_table()) table("");
    return lines_;
  }

 private:
  void advance() {
    now_ = std::move(ahead_);
    ahead_ = tokens_.next();
  }

  // Advances to the '{' of the first call. Returns false if the call's argument is not a table literal.
  bool find_table() {
    static const std::set<std::string> calls{"with", "experiment", "sweep"};
    while (now_.kind != Token::end && !(now_.kind == Token::name && calls.contains(now_.value))) advance();
    for (advance(); now_.kind != Token::end && !now_.is("{"); advance()) {
      const bool may_pass = now_.kind == Token::name || now_.is("(") || now_.is(",") || now_.is(".") || now_.is(":");
      if (!may_pass) return false;
    }
    return now_.is("{");
  }

  void table(const std::string& path) {
    advance();
    size_t items = 0;
    while (now_.kind != Token::end && !now_.is("}")) {
      std::string inside;
      if (now_.kind == Token::name && ahead_.is("=")) {
        inside = note(path, now_);
        advance(), advance();
      } else if (now_.is("[") && ahead_.kind == Token::text) {
        advance();
        inside = note(path, now_);
        advance(), advance(), advance();
      } else {
        inside = spec::join(path, items++);
        lines_[inside] = now_.line;
      }
      if (now_.is("{")) table(inside);
      rest_of_item();
      if (now_.is(",") || now_.is(";")) advance();
    }
    if (now_.is("}")) advance();
  }

  std::string note(const std::string& path, const Token& key) {
    // A key of the outermost table may be a dotted path, which is used unchanged.
    const auto inside = path.empty() ? key.value : spec::join(path, key.value);
    lines_[inside] = key.line;
    return inside;
  }

  void rest_of_item() {
    int depth = 0;
    while (now_.kind != Token::end) {
      if (depth == 0 && (now_.is(",") || now_.is(";") || now_.is("}"))) return;
      if (now_.is("(") || now_.is("{") || now_.is("[")) ++depth;
      if (now_.is(")") || now_.is("}") || now_.is("]")) --depth;
      advance();
    }
  }

  Tokens tokens_;
  Token now_, ahead_;
  std::map<std::string, int> lines_;
};

}  // namespace

std::vector<spec::Change> to_changes(lua_State* L, int index) {
  if (!lua_istable(L, index)) {
    throw Error("", fmt::format("changes must be a table, not a {}", luaL_typename(L, index)),
                "base:with { grpo = { lr = 1e-4 }, [\"sampling.greedy\"] = true }");
  }
  const json values = to_json(L, index, "");
  if (values.is_array()) throw Error("", "changes must be named, not a list");
  std::vector<spec::Change> changes;
  const std::string origin = position(L);
  for (const auto& [path, value] : values.items()) changes.push_back({path, value, origin});
  return changes;
}

std::map<std::string, std::string> written_origins(lua_State* L) {
  const std::string here = position(L);
  const size_t colon = here.rfind(':');
  if (colon == std::string::npos) return {};
  const auto source = sandbox(L).sources().find(here.substr(0, colon));
  if (source == sandbox(L).sources().end()) return {};
  spend(L, source->second.size() / 8);
  std::map<std::string, std::string> origins;
  for (const auto& [path, line] : key_lines(source->second, std::stoi(here.substr(colon + 1)))) {
    origins[path] = fmt::format("{}:{}", source->first, line);
  }
  return origins;
}

void refine_origins(lua_State* L, spec::Draft& draft, const std::map<std::string, std::string>& written) {
  const std::string here = position(L);
  for (const auto& [path, line] : written) {
    if (const auto origin = draft.origins.find(path); origin != draft.origins.end() && origin->second == here) {
      origin->second = line;
    }
    const auto renamed = draft.renamed.find(path);
    if (renamed == draft.renamed.end() || renamed->second.origin != here) continue;
    renamed->second.origin = line;
    if (const auto origin = draft.origins.find(renamed->second.now); origin != draft.origins.end())
      origin->second = line;
  }
}

std::map<std::string, int> key_lines(const std::string& source, int line) { return TableReader(source, line).read(); }

}  // namespace compeer::script
