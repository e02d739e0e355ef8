#include "stages/expected.h"

#include "base/error.h"

namespace compeer::stages {

using nlohmann::json;

Expected::Expected(const Settings& settings, const std::string& setting, std::string what)
    : setting_(setting), what_(std::move(what)) {
  if (settings.has(setting)) name_ = settings.text(setting);
}

std::string Expected::glimpse(const json& object) const {
  if (object.contains(name())) return "";
  json names = json::array();
  if (!object.is_object()) return names.dump();
  for (const auto& [key, value] : object.items()) names.push_back(key);
  return names.dump();
}

void Expected::survey(const std::string& glimpse) {
  if (glimpse.empty()) found_ = true;
  if (found_) return;
  for (const json& name : json::parse(glimpse)) others_.insert(name.get<std::string>());
}

void Expected::demand_if_misspelt() const {
  if (name_ && !nearest(name(), {others_.begin(), others_.end()}).empty()) demand();
}

void Expected::demand() const {
  if (!name_ || found_ || others_.empty()) return;
  throw Error("'" + setting_ + "'", "no record has " + what_ + " '" + name() + "'",
              suggest(name(), {others_.begin(), others_.end()}), Exit::data);
}

}  // namespace compeer::stages
