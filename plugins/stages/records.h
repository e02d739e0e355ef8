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

// Access to the records of a data run, for its stages. A record is a JSON object with an "id". It is either a whole
// dialogue ("turns") or a round of one: the turns up to one of the seeker ("history"), and the supporter's own reply
// ("reference"). "candidates" are completions for the round that models wrote: three reasoning steps and a reply.

namespace compeer::stages {

/// Returns 64 bits of the SHA-256 of the record's id, as the first two arguments of Host::random. A record's random
/// numbers then don't depend on the other records: `host.random(address.first, address.second, n)`.
std::pair<uint32_t, uint32_t> random_address(const std::string& id);
/// Returns the same for the id of `record`.
std::pair<uint32_t, uint32_t> random_address(const nlohmann::json& record);

/// Throws Error (exit code 4: invalid data) that names the record. `why`: the problem as a predicate ("has no
/// history"); `help`: a remedy.
[[noreturn]] void refuse(const nlohmann::json& record, const std::string& why, const std::string& help);

/// Returns the id of the dialogue that a record belongs to: its field "dialogue", otherwise its own id.
std::string dialogue_of(const nlohmann::json& record);

/// Returns all turns: those of a whole dialogue, or the history and the reference of a round. Throws Error (exit code
/// 4) that names the record if it has neither.
std::vector<Turn> turns_of(const nlohmann::json& record);

/// Returns the turns of a round before its reference. Throws Error (exit code 4) that names the record if it has no
/// "history".
std::vector<Turn> history_of(const nlohmann::json& record);

/// Parses a list of turns, [{"role", "text", "pictures"}]. "pictures", a list of image files, may be missing.
std::vector<Turn> turns_in(const nlohmann::json& list);
/// Returns the turns as such a list, without pictures.
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

/// Returns a copy of the record with the id "<id>/<name>". It belongs to the same dialogue, and so to the same split.
nlohmann::json copy_of(nlohmann::json record, const std::string& name);

/// Returns such a copy for another candidate of the same round: without the annotators' labels and the judgements of
/// the old candidate and their provenance.
nlohmann::json copy_for_candidate(nlohmann::json record, const std::string& name);

/// Returns the outcome of a stage that outputs `record` in place of its input.
Outcome kept(nlohmann::json record);
/// Returns the outcome that passes the input record on as it is.
Outcome unchanged();
/// Returns the outcome that drops the input record. `reason`: a short category, because reasons are counted.
Outcome dropped(const std::string& reason);

/// A check that a name in a setting, such as that of a field or a model, occurs as a key in some record. A stage with a
/// misspelt name would otherwise silently do nothing. The stage returns `summary` from Stage::summary for each record
/// and passes it on from Stage::add_summary. Then it calls `require_found` or `throw_if_misspelt`, before it sends
/// requests.
class Expected {
 public:
  /// `setting`: the setting that contains the name. `what`: a description of the name for messages, such as "the key"
  /// or "an answer of". If the setting is unset, the checks do nothing.
  Expected(const Settings& settings, const std::string& setting, std::string what);

  /// Returns true if the setting is set. `name` and `summary` require it.
  explicit operator bool() const { return name_.has_value(); }
  /// Returns the value of the setting.
  const std::string& name() const { return *name_; }

  /// Returns "" if the object of a record has the name as a key, otherwise its keys as a JSON list.
  std::string summary(const nlohmann::json& object) const;
  /// Adds the summary of one record.
  void add_summary(const std::string& summary);
  /// Throws Error (exit code 4) that lists the existing names if records have names, but not this one.
  void require_found() const;
  /// Like `require_found` for a name that records may lack: throws only if records have a similar name.
  void throw_if_misspelt() const;

 private:
  std::optional<std::string> name_;  // the value of the setting; nullopt: unset
  std::string setting_;              // the setting's name
  std::string what_;                 // description of the name, for messages
  bool found_ = false;               // whether a record has the name
  std::set<std::string> others_;     // names that records have, collected until the expected one is found
};

}  // namespace compeer::stages
