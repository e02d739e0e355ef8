#pragma once
#include <boost/config.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace compeer {

/// The result of a stage for one input record: the record is replaced (`records`), kept (`unchanged`) or dropped
/// (`dropped`).
struct Outcome {
  std::vector<nlohmann::json> records;  ///< output records, usually one: the input with more fields
  /// Reason for dropping the record; set exactly if it has no output. A short category, because reasons are counted.
  std::string dropped;
  std::map<std::string, double> counts;  ///< statistics by name; summed over all records and reported
  bool unchanged = false;   ///< the record is passed on as it is, without being serialized again; `records` is empty
  std::string answer = {};  ///< if a chat model's answer was the reason for dropping: that answer, verbatim
};

/// Interface of a plugin of the kind "stages": one step of a data pipeline, which turns records into records. Records
/// are JSON objects with an "id".
///
/// Threads: calls on one object never overlap. Each rank has its own object and processes different records.
class BOOST_SYMBOL_VISIBLE Stage {
 public:
  static constexpr const char* kind = "stages";
  virtual ~Stage() = default;

  /// Returns true if the outcome of a record depends on other records. The program then calls, before `make`, `summary`
  /// once for each record, on any rank, and `add_summary` on all ranks with every summary, in the order of the records.
  virtual bool needs_summaries() const { return false; }
  /// Returns a summary of the record, in any format, for `add_summary`. Keep it short: all ranks receive all summaries.
  virtual std::string summary(const nlohmann::json& record) const { return (void)record, ""; }
  /// Receives the summary of the next record, to be kept in the object for `make`.
  virtual void add_summary(const std::string& summary) { (void)summary; }

  /// Processes some records and returns their outcomes, in order. Results must not depend on which rank processes a
  /// record, or on the other records of the call. A call gets several records, so that chat requests can be concurrent.
  virtual std::vector<Outcome> make(const std::vector<nlohmann::json>& records) = 0;

  /// Called on rank 0 when all records are processed. Returns a JSON object with further results to report; may be
  /// empty. `counts` are those of the outcomes, summed over all records; names that begin with a dot are for this
  /// function only and are not reported. Reports use these keys:
  ///
  ///   any path   a figure: {"value", "low", "high"}, where low and high are a 95 % interval or null
  ///   columns    names of the figures in the main table, in order; titles: their titles; headline: the most important
  ///   better     {"higher": [...], "lower": [...]}: which direction is better, by the last part of a figure's path
  ///   shares     names of figures that sum to one within each table that has them: drawn as bars
  ///   curves     {name: [figure per round of the dialogue, ...]}
  virtual nlohmann::json findings(const std::map<std::string, double>& counts) const {
    return (void)counts, nlohmann::json::object();
  }

  /// Returns a text that changes whenever outcomes could change for a reason other than settings, records and random
  /// numbers, such as the contents of prompt files. The output of a stage is reused while all of these are equal.
  virtual std::string cache_key() const { return ""; }
};

}  // namespace compeer
