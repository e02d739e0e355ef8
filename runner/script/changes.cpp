#include "script/changes.h"

#include <fmt/format.h>

#include "lua/edge.h"
#include "lua/value.h"
#include "script/literal.h"

namespace compeer::script {

using namespace lua;
using spec::json;

std::vector<spec::Change> to_changes(lua_State* L, int index) {
  if (!lua_istable(L, index)) {
    throw Error("", fmt::format("changes are a table, not a {}", luaL_typename(L, index)),
                "base:with { grpo = { lr = 1e-4 }, [\"sampling.greedy\"] = true }");
  }
  const json values = to_json(L, index, "");
  if (values.is_array()) throw Error("", "changes are named: a list has no names");
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
  }
}

}  // namespace compeer::script
