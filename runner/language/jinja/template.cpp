#include "language/jinja/template.h"

#include "base/error.h"
#include "language/jinja/each_alone.h"
#include "language/jinja/parser.h"

namespace compeer::language::jinja {

Template::Template(std::string_view source, std::string where) : where_(std::move(where)) {
  if (valid_utf8(source) != source) throw Error(where_, "the chat template is not UTF-8", "", Exit::data);
  block_ = parse(source, where_);
}

Text Template::render(const Variables& variables, std::time_t now) const {
  return Evaluator(where_, variables, now).run(block_);
}

bool Template::each_alone() const { return jinja::each_alone(block_); }

}  // namespace compeer::language::jinja
