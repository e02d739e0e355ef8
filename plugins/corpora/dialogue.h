#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace compeer::corpora {

using nlohmann::json;

/// The speaker of an utterance; `system` is an instruction to the supporter.
enum class Role : uint8_t { system, seeker, supporter };

/// Returns the role's name in the chat format: "system", "user" (seeker) or "assistant" (supporter).
const char* chat_name(Role role);

/// A message of one person.
struct Utterance {
  Role role = Role::seeker;
  std::string text;
  json labels = json::object();  ///< name -> a value, a list of values, or null if the label is missing
};

/// A dialogue of a corpus, in the form common to all corpora.
struct Dialogue {
  std::string id;  ///< unique within its file; "": the record number is used
  std::vector<Utterance> utterances;
  json labels = json::object();  ///< labels of the whole dialogue
  /// Indices of the utterances to be used as answers; utterances.size() means an answer that the corpus withholds.
  /// Unset: every turn of the supporter.
  std::optional<std::vector<size_t>> target_answers = {};
  /// Parts of the record that are inconsistent, as in "turn 2 ..."; not packed.
  std::vector<std::string> left_out = {};
};

/// Serializes a dialogue compactly, and restores it.
std::string pack(const Dialogue& dialogue);
Dialogue unpack(std::string_view bytes);

/// The utterances [begin, end) that form a turn: one, or consecutive ones of the same person.
struct UtteranceRun {
  Role role = Role::seeker;
  size_t begin = 0, end = 0;
};

/// Splits utterances into turns; `merge`: consecutive utterances of one person form one.
std::vector<UtteranceRun> runs(const std::vector<Utterance>& utterances, bool merge);

/// Returns the indices of the runs that are answers: the supporter's runs that follow the seeker's and, unless `all`,
/// that `dialogue.target_answers` selects. runs.size() means an answer that the corpus withholds.
std::vector<size_t> answers(const Dialogue& dialogue, const std::vector<UtteranceRun>& runs, bool all);

/// The joined utterances of a turn.
struct SpokenTurn {
  std::string text;
  /// Name -> list of the utterances' values, in order; null where an utterance lacks the label.
  json labels = json::object();
};

/// Joins the utterances of a run, separated by `between`.
SpokenTurn spoken(const std::vector<Utterance>& utterances, const UtteranceRun& run, const std::string& between = "\n");

/// Returns the pictures of a turn in the folder `media` (empty: none). Of the files in the label "media", those that
/// exist and are PNG or JPEG; for a video, a picture with the same name. Files outside the folder are ignored.
std::vector<std::string> pictures(const json& labels, const std::filesystem::path& media);

}  // namespace compeer::corpora
