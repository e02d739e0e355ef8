#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace compeer::evaluating::sage {

/// Who is played: a record with the texts "player", "scene", "task" and "first_talk". Empty if it has all of them; else
/// which one is missing, "no 'task'".
std::string missing_in(const nlohmann::json& profile);

/// {"id", "language"}: the profile's own, if that is English or Chinese, else the one that "first_talk" is written in.
nlohmann::json language_of(const nlohmann::json& profile);

}  // namespace compeer::evaluating::sage
