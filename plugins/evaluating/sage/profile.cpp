#include "evaluating/sage/profile.h"

#include "empathy/plain.h"

namespace compeer::evaluating::sage {

using nlohmann::json;

std::string missing_in(const json& profile) {
  for (const char* field : {"player", "scene", "task", "first_talk"}) {
    const auto found = profile.find(field);
    const bool there =
        found != profile.end() && found->is_string() && !empathy::trim(found->get_ref<const std::string&>()).empty();
    if (!there) return std::string("no '") + field + "'";
  }
  return "";
}

json language_of(const json& profile) {
  const auto given = profile.find("language");
  const std::string said = given != profile.end() && given->is_string() ? given->get<std::string>() : "";
  if (said.starts_with("en") || said.starts_with("zh")) return {{"id", profile.at("id")}, {"language", said}};
  const bool chinese = empathy::has_chinese(profile.at("first_talk").get<std::string>());
  return {{"id", profile.at("id")}, {"language", chinese ? "zh" : "en"}};
}

}  // namespace compeer::evaluating::sage
