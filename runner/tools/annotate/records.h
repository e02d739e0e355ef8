#pragma once
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace compeer::annotate {

/// What is asked about each candidate of a record: are these steps right?
inline constexpr std::array<const char*, 3> reasoning_steps = {"history", "emotion", "strategy"};

/// The answers to which of two replies is better.
inline constexpr std::array<const char*, 4> preferences = {"first", "second", "both good", "neither"};

/// A file of CER records to be judged: a JSON object a line with a text "id" of its own, "history" (a list of "role"
/// and "text") and one or two "candidates", each with a text "reply", and "history", "emotion" and "strategy", or none
/// of them: then replies are compared alone. A turn's "pictures" are shown, from the file's folder on. The two replies
/// to be compared are those of two candidates, or a text "reference" and that of one. Whatever else is in records
/// stays.
struct RecordFile {
  std::filesystem::path folder;
  std::string hash;  ///< SHA-256: exports say which file they belong to
  std::vector<nlohmann::json> records;
  std::map<std::string, size_t> by_id;
};

/// Throws Error (exit 4) naming the lines that are no such records, or if there is none.
RecordFile read_records(const std::filesystem::path& file);

/// "reference" (if there is one candidate) and replies of candidates: the first and the second to be compared.
nlohmann::json replies(const nlohmann::json& record);

/// Whether the reasoning before its candidates' replies is to be judged.
bool has_steps(const nlohmann::json& record);

/// The preference that needs nobody's judgement, of a record without steps: "both good" if its replies are the same,
/// and who says nothing loses. Else "".
std::string evident_preference(const nlohmann::json& record);

/// The name under which a record is on a page: it tells nothing of the record, but to who has the file, in which order
/// its two replies stand there. `turned`: the second before the first.
std::string page_item(const RecordFile& file, const nlohmann::json& record, bool turned);

/// Three answers for each candidate that has steps.
using StepAnswers = std::vector<std::array<bool, 3>>;

/// One line of an export: what one annotator says of one record. The line names it by its "item" on the page, and is in
/// the page's order, or by its "id", and is in the record's; here it is in the record's.
struct AnnotationLine {
  size_t record = 0;
  std::string annotator;
  StepAnswers steps;
  std::string preference;

  bool operator==(const AnnotationLine&) const = default;
  /// {"annotator", "steps", "preference"}, as it stands in a finished record
  nlohmann::json to_json() const;
};

/// The judgements of an export. Throws Error (exit 4) if it belongs to another file than `records`, or naming lines
/// that are no judgements of it.
std::vector<AnnotationLine> read_export(const std::filesystem::path& file, const RecordFile& records);

/// A line of a file that could not be used, and why.
struct BadLine {
  size_t line = 0;
  std::string reason;
};

/// Gives `take` each line of a file of JSON objects that is not blank, with its number from 1. A line that is no JSON
/// object, or for which `take` throws Error, is a bad one and the next follows. Throws Error (exit 4) if the file
/// can't be read.
std::vector<BadLine> read_lines(const std::filesystem::path& file,
                                const std::function<void(nlohmann::json&& object, size_t line)>& take);

/// "labels.jsonl:3: has no 'label'" for the first twenty, a line each, and how many more there are.
std::string listed(const std::filesystem::path& file, const std::vector<BadLine>& bad);

/// Throws Error (exit 4), which lists them, if there are any.
void refuse_bad_lines(const std::filesystem::path& file, const std::vector<BadLine>& bad);

/// An object as a line of a file.
std::string json_line(const nlohmann::json& object);

}  // namespace compeer::annotate
