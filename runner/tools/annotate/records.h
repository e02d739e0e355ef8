#pragma once
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

// Files for human annotation of replies. A record is one dialogue with one or two candidates, the replies of a model,
// each with its reasoning. Annotators judge the records on an HTML page, and the page saves their judgements as a file,
// the export. `compeer data annotate` writes the page; `compeer data merge` joins records and exports.

namespace compeer::annotate {

/// The reasoning steps before a candidate's reply. Annotators judge each as right or wrong.
inline constexpr std::array<const char*, 3> reasoning_steps = {"history", "emotion", "strategy"};

/// The possible answers to the question which of two replies is better.
inline constexpr std::array<const char*, 4> preferences = {"first", "second", "both good", "neither"};

/// A file of records to be judged, one JSON object per line: a unique text "id", "history" (a list of "role" and
/// "text") and one or two "candidates". A candidate has a text "reply" and, unless only replies are compared, the texts
/// "history", "emotion" and "strategy". The two replies compared are those of both candidates, or a text "reference"
/// and that of the only candidate. "pictures" of a turn are paths relative to the file's folder. Other fields are kept.
struct RecordFile {
  std::filesystem::path folder;         ///< folder of the pictures
  std::string hash;                     ///< SHA-256 of the file; exports contain it, to identify their records
  std::vector<nlohmann::json> records;  ///< in the order of the file
  std::map<std::string, size_t> by_id;  ///< id of a record -> its index in `records`
};

/// Reads a file of records. Throws Error (exit code 4: invalid data), naming the invalid lines, if there are any, or if
/// there are no records.
RecordFile read_records(const std::filesystem::path& file);

/// Returns a list of the two replies to be compared: "reference" and the candidate's reply if there is one candidate,
/// otherwise the replies of both.
nlohmann::json replies(const nlohmann::json& record);

/// True if the candidates' reasoning steps are to be judged, because at least one is not empty.
bool has_steps(const nlohmann::json& record);

/// Returns the preference of a record that annotators need not judge: it has no steps, and its replies are equal ("both
/// good") or one is empty (the other is preferred) or both are ("neither"). Returns "" for all other records.
std::string evident_preference(const nlohmann::json& record);

/// Returns the name of a record on a page, a hash. With the file of records, the name identifies the record and the
/// order of its replies; without the file it reveals nothing. `turned`: true if the second reply is shown first.
std::string page_item(const RecordFile& file, const nlohmann::json& record, bool turned);

/// Judgements of steps, [candidate][step of reasoning_steps]: true if the step is right. Empty if no steps are judged.
using StepAnswers = std::vector<std::array<bool, 3>>;

/// One line of an export: one annotator's judgement of one record. In the file, a line with "item" has the candidates
/// in the order of the page, a line with "id" in the order of the record. Here they are in the order of the record.
struct AnnotationLine {
  size_t record = 0;      ///< index in RecordFile::records
  std::string annotator;  ///< name of the annotator
  StepAnswers steps;
  std::string preference;  ///< one of `preferences`

  bool operator==(const AnnotationLine&) const = default;
  /// Returns {"annotator", "steps", "preference"}, as in a merged record.
  nlohmann::json to_json() const;
};

/// Reads an export. Throws Error (exit code 4) if it belongs to another file than `records`, has invalid lines, which
/// the error lists, or has no judgements.
std::vector<AnnotationLine> read_export(const std::filesystem::path& file, const RecordFile& records);

/// A line of a file that can't be used, and the reason.
struct BadLine {
  size_t line = 0;     ///< line number, from 1
  std::string reason;  ///< "has no 'label'"
};

/// Calls `take` for each line that is not blank, with the JSON object and the line number (from 1). Returns the bad
/// lines: those that are not a JSON object, or for which `take` throws Error. Throws Error (exit code 4) if the file
/// can't be read.
std::vector<BadLine> read_lines(const std::filesystem::path& file,
                                const std::function<void(nlohmann::json&& object, size_t line)>& take);

/// Formats the first twenty bad lines, "labels.jsonl:3: has no 'label'", and the number of the others.
std::string listed(const std::filesystem::path& file, const std::vector<BadLine>& bad);

/// Throws Error (exit code 4) with the list of bad lines if there are any.
void refuse_bad_lines(const std::filesystem::path& file, const std::vector<BadLine>& bad);

/// Returns an object as one line of JSON, with a line break.
std::string json_line(const nlohmann::json& object);

}  // namespace compeer::annotate
