// Templates, and a conservative analysis of whether they render each message independently.
#include "language/jinja/template.h"

#include <algorithm>

#include "base/error.h"
#include "language/jinja/syntax.h"

namespace compeer::language::jinja {

namespace {

using Names = std::vector<std::string>;
using Kind = Statement::Kind;

bool only(const Names& known, const Block& block);

bool only(const Names& known, const ExpressionPtr& expression) {
  if (!expression) return true;
  if (expression->kind == Expression::Kind::name &&
      std::find(known.begin(), known.end(), expression->name) == known.end())
    return false;
  return std::all_of(expression->parts.begin(), expression->parts.end(),
                     [&](const ExpressionPtr& part) { return only(known, part); }) &&
         std::all_of(expression->named.begin(), expression->named.end(),
                     [&](const auto& named) { return only(known, named.second); });
}

// True if the statement reads no other names than `known` and assigns no variable.
bool only(const Names& known, const Statement& statement) {
  if (statement.kind == Kind::text) return true;
  if (statement.kind == Kind::print) return only(known, statement.expression);
  if (statement.kind == Kind::for_) {
    auto inside = known;
    inside.insert(inside.end(), statement.names.begin(), statement.names.end());
    inside.emplace_back("loop");
    return only(known, statement.expression) && only(inside, statement.condition) && only(inside, statement.body) &&
           only(known, statement.otherwise);
  }
  return statement.kind == Kind::if_ && only(known, statement.otherwise) &&
         std::all_of(statement.branches.begin(), statement.branches.end(), [&](const Statement::Branch& branch) {
           return only(known, branch.condition) && only(known, branch.body);
         });
}

bool only(const Names& known, const Block& block) {
  return std::all_of(block.begin(), block.end(), [&](const auto& statement) { return only(known, *statement); });
}

// True if the template begins with a loop over `messages` whose body reads only the loop variable, and the rest reads
// only `add_generation_prompt`.
bool renders_messages_independently(const Block& block) {
  if (block.empty() || block.front()->kind != Kind::for_) return false;
  const Statement& loop = *block.front();
  return loop.expression->kind == Expression::Kind::name && loop.expression->name == "messages" && !loop.condition &&
         loop.otherwise.empty() && loop.names.size() == 1 && only({loop.names.front(), "raise_exception"}, loop.body) &&
         std::all_of(block.begin() + 1, block.end(),
                     [](const auto& statement) { return only({"add_generation_prompt"}, *statement); });
}

}  // namespace

Template::Template(std::string_view source, std::string where) : where_(std::move(where)) {
  if (valid_utf8(source) != source) throw Error(where_, "the chat template is not UTF-8", "", Exit::data);
  block_ = parse(source, where_);
}

Text Template::render(const Variables& variables, std::time_t now) const {
  return Evaluator(where_, variables, now).run(block_);
}

bool Template::renders_messages_independently() const { return jinja::renders_messages_independently(block_); }

}  // namespace compeer::language::jinja
