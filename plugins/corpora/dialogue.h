#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Dialogues of published corpora in one common form, and their conversion to examples of a data set. In a dialogue the
// seeker asks for emotional support and the supporter gives it.
//
// An utterance is one message in the file; a run is consecutive utterances of one person, which form a turn (or a
// single utterance, if merging is off); an answer is a turn of the supporter that follows a turn of the seeker. Labels
// are a corpus's annotations, such as the strategy of an utterance.

namespace compeer::corpora {

using nlohmann::json;

/// The speaker of an utterance.
enum class Role : uint8_t {
  system,     ///< no person: an instruction to the supporter
  seeker,     ///< the person in need of support
  supporter,  ///< the person giving it
};

/// Returns the role's name in the chat format: "system", "user" (seeker) or "assistant" (supporter).
const char* chat_name(Role role);

/// A message of one person.
struct Utterance {
  Role role = Role::seeker;      ///< its speaker
  std::string text;              ///< the message
  json labels = json::object();  ///< name -> a value, a list of values, or null if the label is missing
};

/// A dialogue of a corpus, in the form common to all corpora.
struct Dialogue {
  std::string id;                     ///< unique within its file; "": the number of its record is used instead
  std::vector<Utterance> utterances;  ///< in the order of the dialogue
  json labels = json::object();       ///< labels of the whole dialogue: name -> value
  /// Indices of the utterances to be used as answers of examples; utterances.size() means an answer after the last
  /// utterance that the corpus withholds. Unset: every answer.
  std::optional<std::vector<size_t>> target_answers = {};
  /// Reasons why parts of the record could not be used, as in "turn 2 ..."; not serialized by `pack`.
  std::vector<std::string> left_out = {};
};

/// Serializes a dialogue compactly, to keep a whole corpus in memory.
std::string pack(const Dialogue& dialogue);
/// Restores a dialogue from the result of `pack`.
Dialogue unpack(std::string_view bytes);

/// The consecutive utterances of one person that form a turn.
struct UtteranceRun {
  Role role = Role::seeker;   ///< speaker of all its utterances
  size_t begin = 0, end = 0;  ///< indices of its utterances: begin <= i < end
};

/// Splits utterances into turns. `merge`: consecutive utterances of one person form one turn; otherwise each utterance
/// is a turn.
std::vector<UtteranceRun> runs(const std::vector<Utterance>& utterances, bool merge);

/// Returns the indices of the runs that are answers, ascending. `runs`: the result of `runs` for this dialogue; `all`:
/// all answers, otherwise only those that `dialogue.target_answers` selects. The index runs.size() means an answer
/// after the last run that the corpus withholds.
std::vector<size_t> answers(const Dialogue& dialogue, const std::vector<UtteranceRun>& runs, bool all);

/// A turn: the joined utterances of a run.
struct SpokenTurn {
  std::string text;  ///< the texts of the utterances, joined
  /// Labels of the turn: name -> list of the utterances' values, in order; null where an utterance lacks the label.
  json labels = json::object();
};

/// Joins the utterances of a run; `between` is the separator of their texts.
SpokenTurn spoken(const std::vector<Utterance>& utterances, const UtteranceRun& run, const std::string& between = "\n");

/// Returns the paths of a turn's pictures. `labels`: labels of the turn; its label "media" lists file names relative to
/// the folder `media` (empty: no pictures). The result has the listed files that exist and are PNG or JPEG, and for a
/// video or audio file the picture with the same name, if any. Files outside the folder are ignored.
std::vector<std::string> pictures(const json& labels, const std::filesystem::path& media);

}  // namespace compeer::corpora
