#include "script/lookup.h"

#include <fmt/format.h>

#include <vector>

#include "base/error.h"
#include "spec/dotted.h"
#include "spec/text.h"

namespace compeer::script {

namespace {

struct Reached {
  const spec::json* value;
  std::string path;
  bool whole;  // the path was followed to its end
};

Reached follow(const spec::json& values, const std::string& path) {
  Reached at{&values, "", true};
  for (const auto& step : spec::parse_path(path, "")) {
    if (at.value->is_object() && at.value->contains(step.key)) {
      at = {&at.value->at(step.key), spec::join(at.path, step.key), true};
    } else if (at.value->is_array() && step.is_index && step.index < at.value->size()) {
      at = {&at.value->at(step.index), spec::join(at.path, step.index), true};
    } else {
      return {at.value, at.path, false};
    }
  }
  return at;
}

}  // namespace

const spec::json* look(const spec::json& values, const std::string& path) {
  const auto reached = follow(values, path);
  return reached.whole ? reached.value : nullptr;
}

void refuse_path(const std::string& owner, const spec::json& values, const std::string& path) {
  const auto reached = follow(values, path);
  std::vector<std::string> names;
  if (reached.value->is_object()) {
    for (const auto& [key, value] : reached.value->items()) names.push_back(spec::join(reached.path, key));
  }
  throw Error("", fmt::format("{} has no '{}'", owner, path), suggest(path, names));
}

std::string show(const spec::json& value) {
  return value.is_string() ? spec::printable(value.get<std::string>()) : spec::show(value);
}

spec::json visible(const spec::Spec& spec) {
  spec::Draft shown{spec.values, {}, {}};
  for (const auto& [path, file] : spec.texts) spec::set(shown, path, nullptr, "");
  return shown.values;
}

}  // namespace compeer::script
