#include "contract/worker/answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "contract/remark.h"

namespace compeer::contract {

CallResult failure(const plugin::Identity& identity, const std::string& method, const Error& error) {
  CallResult answer{"", method, error.problem(), error.help(), error.exit()};
  const std::string own = identity.title() + " (" + identity.path.string() + "), in ", &where = error.where();
  if (where.starts_with(own) && where.ends_with("()")) {
    answer.method = where.substr(own.size(), where.size() - own.size() - 2);
  } else if (!where.empty() && where != identity.path.string()) {
    answer.problem = where + ": " + answer.problem;
  }
  if (answer.problem.empty()) answer.problem = "an error without a message";
  return answer;
}

std::vector<std::string> Sentences::all() const {
  std::vector<std::string> texts;
  for (const auto& [key, inputs] : sentences_) {
    const auto& [method, what] = key;
    if (texts.size() == most) {
      texts.push_back(fmt::format("and the like for {} more", sentences_.size() - most));
      break;
    }
    texts.push_back(fmt::format("{}: {}", place_text(method, fmt::format("{}", fmt::join(inputs, ", "))), what));
  }
  return texts;
}

}  // namespace compeer::contract
