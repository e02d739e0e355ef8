#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "compeer/settings.h"

namespace compeer::stages {

/// A name that records should have, out of a setting, such as the key in `only`: if it is misspelt, none has it, and
/// the stage would do nothing, without a word. A stage shows it what each record has, in its survey, and demands it
/// before anybody is asked.
class Expected {
 public:
  /// `what` records have: "the key", "an answer of". Expects nothing if the setting is unset.
  Expected(const Settings& settings, const std::string& setting, std::string what);

  explicit operator bool() const { return name_.has_value(); }
  const std::string& name() const { return *name_; }

  /// What a survey is told of a record that has the names which are the keys of `object`: nothing, if this is one.
  std::string glimpse(const nlohmann::json& object) const;
  void survey(const std::string& glimpse);
  /// Throws Error (exit 4) with the names there are, if records have some, and none has this one.
  void demand() const;
  /// The same for a name that none may have for good reasons: throws only if another one is near.
  void demand_if_misspelt() const;

 private:
  std::optional<std::string> name_;
  std::string setting_, what_;
  bool found_ = false;
  std::set<std::string> others_;
};

}  // namespace compeer::stages
