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

/// Returns the record's address in a plugin's random numbers: 64 bits of the SHA-256 of its id, so that its result does
/// not depend on the other records. Use as `Host::random(place.first, place.second, draw)`.
std::pair<uint32_t, uint32_t> random_address(const std::string& id);
std::pair<uint32_t, uint32_t> random_address(const nlohmann::json& record);

/// Throws Error (exit 4) that names the record.
[[noreturn]] void refuse(const nlohmann::json& record, const std::string& why, const std::string& help);

/// Returns the dialogue a record belongs to: its "dialogue", otherwise its id.
std::string dialogue_of(const nlohmann::json& record);

/// Returns all turns: "turns" of a whole dialogue, or "history" followed by the "reference" of a sampled round. Throws
/// Error (exit 4) that names the record if it has neither.
std::vector<Turn> turns_of(const nlohmann::json& record);

/// Returns the turns before a sampled round's reference. Throws Error (exit 4) that names the record if it has no
/// "history".
std::vector<Turn> history_of(const nlohmann::json& record);

/// Parses a list of turns: [{"role", "text"}], with "pictures" if a turn has some.
std::vector<Turn> turns_in(const nlohmann::json& list);
/// Returns the list of turns for a record, without pictures.
nlohmann::json list_of(const std::vector<Turn>& turns);

/// Returns the turns without system turns, which are instructions and not part of the dialogue.
std::vector<Turn> spoken(std::vector<Turn> turns);

/// Returns the text on one line, with white space reduced to single spaces and none at the ends. References and replies
/// are compared in this form, so that line breaks do not reveal which of them a model wrote.
std::string one_line(std::string_view text);

/// Returns the texts as lines "1: text", each on one line, numbered from `first`.
std::string numbered(const std::vector<std::string>& texts, size_t first = 1);

/// Returns a completion that `model` wrote, as an element of a record's "candidates".
nlohmann::json candidate_of(const empathy::Structured& written, const std::string& model);

/// Returns a copy with the id "<id>/<name>". It belongs to the same dialogue, and so to the same split.
nlohmann::json copy_of(nlohmann::json record, const std::string& name);

/// Returns such a copy for another candidate of the same round: without labels, judgements and their provenance.
nlohmann::json copy_for_candidate(nlohmann::json record, const std::string& name);

/// Returns the outcome that replaces the record by `record`.
Outcome kept(nlohmann::json record);
/// Returns the outcome that keeps the record as it is.
Outcome unchanged();
/// Returns the outcome that drops the record; `reason` is a category, since reasons are counted.
Outcome dropped(const std::string& reason);

/// A name from a setting that some record should have, such as the key in `only`. A misspelt name would match no
/// record, and the stage would silently do nothing. The stage passes each record's names in its summary, and calls
/// `require_found` before it sends requests.
class Expected {
 public:
  /// `what` the name is, for messages: "the key", "an answer of". Expects nothing if the setting is unset.
  Expected(const Settings& settings, const std::string& setting, std::string what);

  /// Returns true if the setting is set; `name` requires it.
  explicit operator bool() const { return name_.has_value(); }
  const std::string& name() const { return *name_; }

  /// Returns a record's part of the summary: "" if `object` has the name as a key, otherwise its keys.
  std::string summary(const nlohmann::json& object) const;
  /// Adds the contribution of a record.
  void add_summary(const std::string& summary);
  /// Throws Error (exit 4) with the existing names if there are some and none is the expected one.
  void require_found() const;
  /// The same for a name that may legitimately be absent: throws only if a similar name exists.
  void demand_if_misspelt() const;

 private:
  std::optional<std::string> name_;
  std::string setting_, what_;
  bool found_ = false;
  std::set<std::string> others_;
};

}  // namespace compeer::stages
