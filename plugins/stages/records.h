#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compeer/conversation.h"
#include "compeer/host.h"
#include "compeer/settings.h"
#include "compeer/stage.h"
#include "empathy/format.h"

namespace compeer::stages {

/// Where a record stands among the random numbers of a plugin: two numbers that follow from its id alone, so that its
/// fate does not depend on the records around it. `Host::random(place.first, place.second, draw)`.
std::pair<uint32_t, uint32_t> place_of(const std::string& id);
std::pair<uint32_t, uint32_t> place_of(const nlohmann::json& record);

/// Throws Error (exit 4) naming the record.
[[noreturn]] void refuse(const nlohmann::json& record, const std::string& why, const std::string& help);

/// The dialogue a record belongs to: its "dialogue", else its id.
std::string dialogue_of(const nlohmann::json& record);

/// All that was said: "turns" of a whole dialogue; "history" and then the "reference" of a sampled one. Throws
/// Error (exit 4) naming the record if it has neither.
std::vector<Turn> turns_of(const nlohmann::json& record);

/// What was said before a sampled round's reference. Throws Error (exit 4) naming a record that has no history.
std::vector<Turn> history_of(const nlohmann::json& record);

/// A list of turns out of a record: [{"role", "text"}], with "pictures" where a turn shows some.
std::vector<Turn> turns_in(const nlohmann::json& list);
nlohmann::json list_of(const std::vector<Turn>& turns);

/// Of these turns those that somebody said: a system turn is none, but an instruction to the supporter.
std::vector<Turn> spoken(std::vector<Turn> turns);

/// The text on one line: white space within it becomes single spaces, that around it is dropped. References and replies
/// are compared like this, so that line breaks don't tell people's from models'.
std::string one_line(std::string_view text);

/// Texts with their numbers from `first` on, each on one line: "1: text".
std::string numbered(const std::vector<std::string>& texts, size_t first = 1);

/// What `model` wrote, as one of a record's "candidates".
nlohmann::json candidate_of(const empathy::Structured& written, const std::string& model);

/// Another record of the same dialogue, and so of the same split: `name` stands behind its id.
nlohmann::json copy_of(nlohmann::json record, const std::string& name);

/// The same round, for another candidate: such a copy without labels and what was said of them.
nlohmann::json beside(nlohmann::json record, const std::string& name);

Outcome kept(nlohmann::json record);
Outcome unchanged();
Outcome dropped(const std::string& reason);

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
