#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "compeer/stage.h"

namespace compeer::data {

/// Numbers of records that a stage read, made and dropped.
struct Tally {
  int64_t in = 0, out = 0;
  std::map<std::string, int64_t> dropped;  ///< number of dropped records by reason
  std::map<std::string, double> counts;    ///< Outcome::counts; names that begin with '.' are not reported

  int64_t dropped_in_all() const;  ///< number of dropped records
  void add(const Tally& other);
  bool operator==(const Tally&) const = default;
};
void to_json(nlohmann::json& json, const Tally& tally);
void from_json(const nlohmann::json& json, Tally& tally);

/// Returns a summary of a record for the next stage (`Stage::summary`), which reads all summaries before it makes
/// records. Null if the next stage needs none.
using Summarizer = std::function<std::string(const nlohmann::json& record)>;

/// Questions to models about some records.
struct QuestionCount {
  int64_t records = 0, questions = 0, malformed = 0;  ///< malformed: questions without a readable answer

  QuestionCount& operator+=(const QuestionCount& other);
};

/// Questions that a stage counts itself, because it does not use the host's chat models: its counts "questions" and
/// "malformed answers".
QuestionCount own_questions(const Tally& tally);

/// Result of one portion of a stage's records.
struct PortionResult {
  std::string records, dropped, summaries;  ///< JSON lines of the made and of the dropped records; packed summaries
  Tally tally;
  QuestionCount asked;  ///< questions to the host's chat models

  /// Adds a record, and its summary by `summarize` if that is set. The second form takes the record's JSON text,
  /// without newline, so that it need not be serialized.
  void put(const nlohmann::json& record, const Summarizer& summarize);
  void put(const nlohmann::json& record, std::string_view line, const Summarizer& summarize);
  /// Serialization for messages between ranks: unpack(pack()) is equal to the original.
  std::string pack() const;
  static PortionResult unpack(std::string_view bytes);
};

/// Calls `f` with each of the packed summaries, in order.
void each_summary(std::string_view summaries, const std::function<void(std::string summary)>& f);

/// Records of a file, as text and parsed.
struct RecordLines {
  std::vector<std::string> texts;
  std::vector<nlohmann::json> records;
};

/// Converts a stage's outcomes, one for each of `lines`, to a PortionResult. Throws nlohmann::json::exception if a text
/// is not UTF-8.
PortionResult portion_of(const RecordLines& lines, const std::vector<Outcome>& outcomes, const Summarizer& summarize);

/// Appends value.dump() to `line`, byte for byte, but faster for texts without unusual control characters. Throws
/// nlohmann::json::exception if a text is not UTF-8.
void append_json(const nlohmann::json& value, std::string& line);

/// Decides whether too many of a stage's questions have no readable answer (`data.max_malformed`), so that the stage
/// ends early instead of paying for more requests. Takes the portions in the order of the records, so that the decision
/// does not depend on the number of ranks.
class UnreadableLimit {
 public:
  /// `share`: allowed fraction of the questions. `records`: number of records of the whole stage.
  UnreadableLimit(double share, int64_t records) : share_(share), records_(records) {}

  /// Adds a portion. True if the number of malformed answers exceeds the allowed fraction of all questions, assuming
  /// that every remaining record has as many questions as in the portion with most of them. Also true if at least 50
  /// questions were asked and the fraction of malformed answers is more than three standard errors, sqrt(share (1 -
  /// share) / n) but at least 1 / n, above the allowed one.
  bool too_many_with(const QuestionCount& portion);

  /// Sum over all portions so far.
  const QuestionCount& so_far() const { return sum_; }

 private:
  double share_;
  int64_t records_;
  QuestionCount sum_;
  double most_per_record_ = 0;
};

}  // namespace compeer::data
