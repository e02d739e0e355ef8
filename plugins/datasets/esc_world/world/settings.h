#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "datasets/esc_world/world/dialogue.h"

namespace compeer::esc_world {

/// The default world, with a writer: "expert" makes no mistakes; "habit" makes them all and has its habits;
/// "mixed" has three of four dialogues written by the second and the others by the first.
/// Throws std::invalid_argument for another name.
WorldSettings usual(const std::string& writer = "mixed");

/// The world of a table of settings, named as in the plugin's descriptor. A key that is missing has its default.
WorldSettings world_of(const nlohmann::json& settings);

}  // namespace compeer::esc_world
