#pragma once
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace compeer::annotate {

/// The reasoning steps of a candidate, each of which annotators judge as right or wrong.
inline constexpr std::array<const char*, 3> reasoning_steps = {"history", "emotion", "strategy"};

/// The possible answers to the question which of two replies is better.
inline constexpr std::array<const char*, 4> preferences = {"first", "second", "both good", "neither"};

/// A file of CER records to be judged, one JSON object per line: a unique text "id", "history" (a list of "role" and
/// "text") and one or two "candidates". A candidate has a text "reply" and, unless only replies are compared, the texts
/// "history", "emotion" and "strategy". The two replies compared are those of both candidates, or a text "reference"
/// and that of the only candidate. "pictures" of a turn are paths relative to the file's folder. Other fields are kept.
struct RecordFile {
  std::filesystem::path folder;  ///< folder of the pictures
  std::string hash;              ///< SHA-256 of the file; exports contain it
  std::vector<nlohmann::json> records;
  std::map<std::string, size_t> by_id;  ///< index in `records`
};

/// Reads a file of records. Throws Error (exit 4), naming the invalid lines, if there are any, or if there are no
/// records.
RecordFile read_records(const std::filesystem::path& file);

/// Returns the two replies to be compared, in order: "reference" (if there is one candidate) and the candidates'
/// replies.
nlohmann::json replies(const nlohmann::json& record);

/// True if the candidates' reasoning steps are to be judged.
bool has_steps(const nlohmann::json& record);

/// Returns the preference of a record that need not be judged, because it has no steps and equal replies ("both good")
/// or an empty reply, which is the worse one. Otherwise "".
std::string evident_preference(const nlohmann::json& record);

/// Returns the name of a record on a page. It reveals nothing about the record, but identifies it, and the order in
/// which its replies are shown, to whoever has the file. `turned`: the second reply is shown first.
std::string page_item(const RecordFile& file, const nlohmann::json& record, bool turned);

/// For each candidate whose steps are judged, whether each step is right.
using StepAnswers = std::vector<std::array<bool, 3>>;

/// One line of an export: one annotator's judgement of one record. A line with "item" uses the order of the page, one
/// with "id" that of the record; here both are in the order of the record.
struct AnnotationLine {
  size_t record = 0;  ///< index of the record in the file
  std::string annotator;
  StepAnswers steps;
  std::string preference;

  bool operator==(const AnnotationLine&) const = default;
  /// Returns {"annotator", "steps", "preference"}, as in a merged record.
  nlohmann::json to_json() const;
};

/// Reads an export. Throws Error (exit 4) if it belongs to another file than `records`, or naming the invalid lines.
std::vector<AnnotationLine> read_export(const std::filesystem::path& file, const RecordFile& records);

/// A line of a file that can't be used, and the reason.
struct BadLine {
  size_t line = 0;
  std::string reason;
};

/// Calls `take` for each line that is not blank, with the JSON object and the line number (from 1). Returns the bad
/// lines: those that are not a JSON object, or for which `take` throws Error. Throws Error (exit 4) if the file can't
/// be read.
std::vector<BadLine> read_lines(const std::filesystem::path& file,
                                const std::function<void(nlohmann::json&& object, size_t line)>& take);

/// Formats the first twenty bad lines, "labels.jsonl:3: has no 'label'", and the number of the others.
std::string listed(const std::filesystem::path& file, const std::vector<BadLine>& bad);

/// Throws Error (exit 4) with the list of bad lines if there are any.
void refuse_bad_lines(const std::filesystem::path& file, const std::vector<BadLine>& bad);

/// Returns an object as one line of JSON, with a line break.
std::string json_line(const nlohmann::json& object);

}  // namespace compeer::annotate
