#include "report/comparing/settings.h"

#include <algorithm>
#include <set>

#include "spec/dotted.h"

namespace compeer::report {

namespace {

std::string text_of(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void flatten(const nlohmann::json& value, const std::string& path, std::map<std::string, std::string>& flat) {
  const bool of_tables = value.is_array() &&
                         std::any_of(value.begin(), value.end(), [](const auto& item) { return item.is_structured(); });
  if (value.is_object() && !value.empty()) {
    for (const auto& [key, inner] : value.items()) flatten(inner, spec::join(path, key), flat);
  } else if (of_tables) {
    for (size_t i = 0; i < value.size(); ++i) flatten(value[i], spec::join(path, i), flat);
  } else if (!path.empty()) {
    flat[path] = text_of(value);
  }
}

}  // namespace

std::map<std::string, std::string> flattened(const nlohmann::json& spec) {
  std::map<std::string, std::string> flat;
  flatten(spec, "", flat);
  return flat;
}

std::set<std::string> differing(const std::vector<std::map<std::string, std::string>>& flat) {
  std::map<std::string, std::set<std::string>> values;
  std::map<std::string, size_t> times;
  for (const auto& one : flat) {
    for (const auto& [path, value] : one) values[path].insert(value), ++times[path];
  }
  std::set<std::string> paths;
  for (const auto& [path, different] : values) {
    if (different.size() > 1 || times[path] < flat.size()) paths.insert(path);
  }
  return paths;
}

std::vector<std::string> changed(const std::vector<const RunData*>& runs) {
  std::vector<std::map<std::string, std::string>> specs;
  for (const auto* run : runs) specs.push_back(flattened(run->spec));
  const auto paths = differing(specs);
  std::vector<std::string> list;
  for (const auto& path : paths) {
    const bool fingerprint = path.starts_with("inputs.");
    if (path != "name" && !(fingerprint && paths.contains(unquoted(path.substr(7))))) list.push_back(path);
  }
  return list;
}

std::string unquoted(const std::string& value) {
  const bool quoted =
      value.size() > 2 && value.front() == '"' && value.back() == '"' && value.find('\\') == std::string::npos;
  return quoted ? value.substr(1, value.size() - 2) : value;
}

}  // namespace compeer::report
