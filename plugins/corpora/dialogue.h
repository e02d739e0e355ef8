#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace compeer::corpora {

using nlohmann::json;

enum class Role : uint8_t { system, seeker, supporter };

/// That of the chat format: system, user, assistant.
const char* chat_name(Role role);

/// What somebody wrote at one go.
struct Utterance {
  Role role = Role::seeker;
  std::string text;
  json labels = json::object();  ///< name -> value, a list of values, or null where the label is missing
};

/// A dialogue as the corpus has it, in the one form that all corpora are brought into.
struct Dialogue {
  std::string id;  ///< within its file; "": the number of its record will do
  std::vector<Utterance> utterances;
  json labels = json::object();  ///< of the dialogue as a whole
  /// Which utterances are to be answers, by index; utterances.size() is one that the corpus withholds.
  /// Nothing: every supporter's turn.
  std::optional<std::vector<size_t>> asked = {};
  std::vector<std::string> left_out = {};  ///< what of its record contradicts the rest: "turn 2 ..."; not packed
};

/// In few bytes, and back.
std::string pack(const Dialogue& dialogue);
Dialogue unpack(std::string_view bytes);

/// Utterances that make a turn: one, or all that the same person wrote in a row.
struct UtteranceRun {
  Role role = Role::seeker;
  size_t begin = 0, end = 0;
};

std::vector<UtteranceRun> runs(const std::vector<Utterance>& utterances, bool merge);

/// Which runs are to be answers: the supporter's that follow the seeker's. `all`: also those that nobody asks for.
/// runs.size() is an answer that is withheld.
std::vector<size_t> answers(const Dialogue& dialogue, const std::vector<UtteranceRun>& runs, bool all);

/// A turn as it is read: its utterances, joined.
struct SpokenTurn {
  std::string text;
  json labels = json::object();  ///< name -> the list of its utterances' values, in order
};

SpokenTurn spoken(const std::vector<Utterance>& utterances, const UtteranceRun& run, const std::string& between = "\n");

/// Which pictures of a turn are there in the folder `media` (empty: none is looked for): of the files that its label
/// "media" names those that are PNG or JPEG, and for a video a still picture of the same name.
std::vector<std::string> pictures(const json& labels, const std::filesystem::path& media);

}  // namespace compeer::corpora
