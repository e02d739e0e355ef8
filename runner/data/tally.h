#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compeer/stage.h"

namespace compeer::data {

/// What became of records, in numbers.
struct Tally {
  int64_t in = 0, out = 0;
  std::map<std::string, int64_t> dropped;  ///< by reason
  std::map<std::string, double> counts;    ///< the stage's own; a name with a dot before it is for its findings alone

  int64_t dropped_in_all() const;
  void add(const Tally& other);
  bool operator==(const Tally&) const = default;
};
void to_json(nlohmann::json& json, const Tally& tally);
void from_json(const nlohmann::json& json, Tally& tally);

/// What one portion of the records became: lines that go on, lines that tell what was dropped, numbers. Packed into
/// bytes to travel between ranks.
struct Portion {
  std::string records, dropped;
  Tally tally;

  std::string pack() const;
  static Portion unpack(std::string_view bytes);
};

/// Outcomes of records as lines. Throws nlohmann::json::exception if a text is not UTF-8.
Portion portion_of(const std::vector<nlohmann::json>& records, const std::vector<Outcome>& outcomes);

}  // namespace compeer::data
