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

}  // namespace compeer::data
