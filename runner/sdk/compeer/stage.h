#pragma once
#include <boost/config.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace compeer {

/// What becomes of one record.
struct Outcome {
  std::vector<nlohmann::json> records;   ///< what goes on in its place, usually itself with more in it; may be several
  std::string dropped;                   ///< if there are none: why, in a few words that many records share
  std::map<std::string, double> counts;  ///< added up over all records and reported
  bool unchanged = false;                ///< there are none because the record goes on as it is, which costs nothing
  std::string answer = {};               ///< if there are none for what a chat model answered: that, as it came
};

/// One step in the making of a data set: records in, records out. Records are JSON objects with an "id".
///
/// Threads: one thread calls an object at a time. Each rank has an object of its own, which makes other records.
class BOOST_SYMBOL_VISIBLE Stage {
 public:
  static constexpr const char* kind = "stages";
  virtual ~Stage() = default;

  /// True if what becomes of a record depends on the others. Then every record is first looked at, once, on any rank;
  /// what `glimpse` says of it, in as few bytes as will do, is told to all ranks, in the order of the records.
  virtual bool surveys() const { return false; }
  virtual std::string glimpse(const nlohmann::json& record) const { return (void)record, ""; }
  virtual void survey(const std::string& glimpse) { (void)glimpse; }

  /// What becomes of some records, in their order. Any rank makes any records, in any portions, and must get the same;
  /// all at once, so that chat models can be asked side by side.
  virtual std::vector<Outcome> make(const std::vector<nlohmann::json>& records) = 0;

  /// What else is to be reported of the whole, when all is made. An object; may be empty. `counts`: the outcomes',
  /// added up over all records; those whose names begin with a dot are shown to nobody else. Reports understand
  ///
  ///   any path   a figure: {"value", "low", "high"}, with a 95 % interval or null
  ///   columns    names of the figures of the main table, in its order; titles: theirs; headline: the foremost
  ///   better     {"higher": [...], "lower": [...]}: which way is better, by the last part of a figure's path
  ///   shares     names of figures that add up to one, in each table that has them: drawn as bars
  ///   curves     name: a list of figures over the rounds
  virtual nlohmann::json findings(const std::map<std::string, double>& counts) const {
    return (void)counts, nlohmann::json::object();
  }

  /// What its outcomes depend on besides settings, records and random numbers, such as the prompts it has read: any
  /// text that changes when they do. What a stage has made is used again as long as all of these are the same.
  virtual std::string ingredients() const { return ""; }
};

}  // namespace compeer
