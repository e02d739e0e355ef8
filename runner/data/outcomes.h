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

/// What became of records, in numbers.
struct Tally {
  int64_t in = 0, out = 0;
  std::map<std::string, int64_t> dropped;  ///< by reason
  std::map<std::string, double> counts;    ///< the stage's own; a name with a dot before it is for its findings alone

  int64_t dropped_in_all() const;
  void add(const Tally& other);
  bool operator==(const Tally&) const = default;
};
void to_json(nlohmann::json& json, const Tally& tally);
void from_json(const nlohmann::json& json, Tally& tally);

/// What the next stage is to be told of a record before it makes any (`Stage::glimpse`); empty if it needs nothing.
using Glimpse = std::function<std::string(const nlohmann::json& record)>;

/// What models were asked about some records: questions, and how many of them got no answer that could be read.
struct QuestionCount {
  int64_t records = 0, questions = 0, malformed = 0;

  QuestionCount& operator+=(const QuestionCount& other);
};

/// Questions that a stage asked by itself, without a chat model: its counts "questions" and "malformed answers".
QuestionCount own_questions(const Tally& tally);

/// What one portion of the records became: lines that go on, lines that tell what was dropped, numbers, glimpses of
/// the records for the next stage. Packed into bytes to travel between ranks.
struct PortionResult {
  std::string records, dropped, glimpses;
  Tally tally;
  QuestionCount asked;

  /// A record that goes on; the second, where it stands as a line already.
  void put(const nlohmann::json& record, const Glimpse& glimpse);
  void put(const nlohmann::json& record, std::string_view line, const Glimpse& glimpse);
  std::string pack() const;
  static PortionResult unpack(std::string_view bytes);
};

/// Each of a portion's glimpses, in order.
void each_glimpse(std::string_view glimpses, const std::function<void(std::string glimpse)>& f);

/// Records as they stand in a file.
struct RecordLines {
  std::vector<std::string> texts;
  std::vector<nlohmann::json> records;
};

/// Outcomes of records as lines. Throws nlohmann::json::exception if a text is not UTF-8.
PortionResult portion_of(const RecordLines& lines, const std::vector<Outcome>& outcomes, const Glimpse& glimpse);

/// Appends what `value.dump()` gives, byte for byte, in a fraction of the time where texts are ASCII: records are
/// mostly text, and are printed once in every stage. Throws as it does: a text that is no UTF-8.
void append_json(const nlohmann::json& value, std::string& line);

/// Whether too many of a stage's questions get no answer that can be read (`data.most_malformed`): each of them is paid
/// up to `tries` times, so the stage ends as soon as that is clear. Told of one portion after the other in the order of
/// the records, it says the same whatever the ranks.
class UnreadableLimit {
 public:
  /// `share`: of the questions that is allowed; `records`: all that go in.
  UnreadableLimit(double share, int64_t records) : share_(share), records_(records) {}

  /// True once more are malformed than are allowed of all questions, if the records that are left have as many each as
  /// those of any portion so far; or once 50 questions were asked and the share of malformed ones is three standard
  /// errors above the one allowed: sqrt(share (1 - share) / n), at least 1 / n.
  bool too_many_with(const QuestionCount& portion);

  /// Of all portions so far.
  const QuestionCount& so_far() const { return sum_; }

 private:
  double share_;
  int64_t records_;
  QuestionCount sum_;
  double most_per_record_ = 0;
};

}  // namespace compeer::data
