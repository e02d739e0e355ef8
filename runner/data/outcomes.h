#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "compeer/stage.h"

// Results of one stage of a data run. A data run makes a data set in stages: stage 0 reads a dataset plugin, each
// further stage is a plugin that turns records (JSON objects with an "id") into other records, or drops them. The
// records of a stage are processed in portions: consecutive records that one rank passes to the plugin in one call.
// Many stages ask chat models questions about records; an answer that can't be parsed is malformed, or unreadable.

namespace compeer::data {

/// Numbers of records that a stage received, made and dropped, for one portion or for all records.
struct Tally {
  int64_t in = 0, out = 0;                 ///< number of input and output records
  std::map<std::string, int64_t> dropped;  ///< number of dropped records by reason
  /// Statistics of the plugin, summed over records (Outcome::counts). Names that begin with '.' are not reported.
  std::map<std::string, double> counts;

  int64_t dropped_in_all() const;  ///< number of dropped records, for all reasons
  void add(const Tally& other);    ///< adds all numbers of `other`
  bool operator==(const Tally&) const = default;
};
void to_json(nlohmann::json& json, const Tally& tally);
void from_json(const nlohmann::json& json, Tally& tally);

/// Returns a summary of a record for the next stage (`Stage::summary`), which receives all summaries before it makes
/// records. A null function if the next stage needs none.
using Summarizer = std::function<std::string(const nlohmann::json& record)>;

/// Numbers of questions to chat models about some records.
struct QuestionCount {
  int64_t records = 0;    ///< number of records that the questions are about
  int64_t questions = 0;  ///< number of questions
  int64_t malformed = 0;  ///< number of questions without a parsable answer

  QuestionCount& operator+=(const QuestionCount& other);
};

/// Returns the questions that a stage counts itself, because it asks chat models without the program's help: its
/// Tally::counts "questions" and "malformed answers". `records` is 0.
QuestionCount own_questions(const Tally& tally);

/// Result of one portion of a stage's records.
struct PortionResult {
  std::string records;    ///< output records, one line of JSON each
  std::string dropped;    ///< dropped records: a line {"id", "reason", "answer" if any} each
  std::string summaries;  ///< summaries of the output records, packed: read them with each_summary
  Tally tally;
  QuestionCount asked;  ///< questions that the program asked for the plugin

  /// Adds an output record, and its summary by `summarize` if that is not null. The second overload takes the record's
  /// JSON text, without newline, so that it need not be serialized.
  void put(const nlohmann::json& record, const Summarizer& summarize);
  void put(const nlohmann::json& record, std::string_view line, const Summarizer& summarize);
  /// Serialization for messages between ranks: unpack(pack()) is equal to the original.
  std::string pack() const;
  static PortionResult unpack(std::string_view bytes);
};

/// Calls `f` with each of the packed summaries (PortionResult::summaries, or several of them concatenated), in order.
void each_summary(std::string_view summaries, const std::function<void(std::string summary)>& f);

/// Records of a JSON Lines file: the text of each line, without newline, and the parsed object.
struct RecordLines {
  std::vector<std::string> texts;
  std::vector<nlohmann::json> records;
};

/// Converts a plugin's outcomes, one for each of the input records `lines`, to a PortionResult without `asked`. Throws
/// nlohmann::json::exception if a text is not UTF-8.
PortionResult portion_of(const RecordLines& lines, const std::vector<Outcome>& outcomes, const Summarizer& summarize);

/// Appends value.dump() to `line`, byte for byte, but faster for texts without unusual control characters. Throws
/// nlohmann::json::exception if a text is not UTF-8.
void append_json(const nlohmann::json& value, std::string& line);

/// Decides whether too many of a stage's questions have no parsable answer (the setting data.max_malformed), so that
/// the stage ends early instead of paying for more requests. Takes the portions in the order of the records, so that
/// the decision does not depend on the number of ranks.
class UnreadableLimit {
 public:
  /// `share`: allowed fraction of the questions, 0 to 1. `records`: number of input records of the whole stage.
  UnreadableLimit(double share, int64_t records) : share_(share), records_(records) {}

  /// Adds a portion. Returns true if the number of malformed answers exceeds the allowed fraction of all questions,
  /// assuming that every remaining record has the number of questions per record of the portion with most of them. Also
  /// true if at least 50 questions were asked and the fraction of malformed answers is more than three standard errors,
  /// sqrt(share (1 - share) / n) but at least 1 / n, above the allowed one.
  bool too_many_with(const QuestionCount& portion);

  /// Sum over all portions so far.
  const QuestionCount& so_far() const { return sum_; }

 private:
  double share_;     // allowed fraction
  int64_t records_;  // number of input records of the stage
  QuestionCount sum_;
  double most_per_record_ = 0;  // questions per record in the portion with most of them
};

}  // namespace compeer::data
