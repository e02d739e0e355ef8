#pragma once
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "compeer/dataset.h"
#include "compeer/reward.h"
#include "compeer/reweighting.h"
#include "compeer/similarity.h"
#include "compeer/stage.h"
#include "plugin/open.h"

namespace compeer::plugin {

// Calls of plugins with checked results, one function per method of a plugin. A run calls datasets, rewards and so on
// through these functions only. Each throws PluginError (exit code 5, a plugin failed, or the code that the plugin
// threw) if the plugin throws, or if its result violates the interface; the message names the plugin, the method and
// the value: "returned NaN in column 'quality' of completion 2 (the first is 0)".
//
// A *group* is the set of completions that were sampled for one prompt. `Scores` are named columns with one number per
// completion. Plugins are called on the calling thread.

/// The error of a plugin that returned a number that is NaN or infinite.
class NotFinite : public PluginError {
 public:
  using PluginError::PluginError;
};

/// Returns the number of records in a split ("train", "valid", "test"). Throws Error (exit code 4: no usable data) if
/// there are none; its help names the splits that have some. `setting`: the setting that names the split, such as
/// "grpo.split", for the message.
int64_t records_in(Plugin<Dataset>& dataset, const std::string& split, const std::string& setting);

/// The records of a dataset's files that could not be read and were skipped.
struct LeftOutCount {
  int64_t count = 0;  ///< number of skipped records
  std::string text;   ///< line for the log that names the first of them and the reason; "" if there are none
};
/// Returns the number of records that the dataset skipped.
LeftOutCount left_out(Plugin<Dataset>& dataset);

/// Returns the names of the columns of a reward's scores, from the plugin's object or its descriptor; {"reward"} if
/// both have none. The names are unique and consist of up to 64 letters, digits, `_`, `-` and `.`.
std::vector<std::string> columns(Plugin<Reward>& reward);

/// The scores of a group, or the exception that prevented them.
struct GroupScores {
  Scores scores;                         ///< empty if scoring failed
  std::exception_ptr failure = nullptr;  ///< a PluginError; null on success
};
/// Scores all groups in one call of the reward and returns one result per group, in order. Its scores have the columns
/// `names` (the result of `columns`) in this order; each number is rounded to float32 and finite, or NaN where the
/// reward abstains (has no opinion on a completion). If a call with several groups fails, each group is scored alone to
/// find the faulty one. Failures are returned and not thrown, except the Error of a run that is to stop (exit codes 84
/// and 85).
std::vector<GroupScores> score(Plugin<Reward>& reward, std::span<const Group> groups,
                               const std::vector<std::string>& names);
/// Returns the scores of one group. Throws its failure if scoring fails.
Scores score(Plugin<Reward>& reward, const Group& group, const std::vector<std::string>& names);

/// Finds out, by scoring each completion alone, which completions cause `failure`, the error of scoring this group.
/// Returns a phrase for an error message: "every completion" if each of several fails alone in the same way, otherwise
/// the first that does, "completion 2 (the first is 0)"; "" if none fails alone, if the message already names a
/// completion, or if the failure came from another plugin. `names` is the result of `columns`.
std::string culprit(Plugin<Reward>& reward, const Group& group, const std::vector<std::string>& names,
                    const PluginError& failure);

/// Returns the names of the columns that `reweight` returns after the column "reward", such as the factors by which the
/// plugin changes the rewards; they are only logged. May be empty. They are unique and none is "reward".
std::vector<std::string> factors(Plugin<Reweighting>& reweighting);

/// Reweights the rewards of a group, for example to reduce those of redundant completions. `rewards` has one number for
/// each completion. Returns the column "reward", the new rewards, and then the columns `names` (the result of
/// `factors`), all finite.
Scores reweight(Plugin<Reweighting>& reweighting, const Group& group, std::span<const double> rewards,
                const std::vector<std::string>& names);

/// Returns the cosine similarity of each text of `a` with each text of `b`: [text of a][text of b], finite, in [-1, 1].
/// If `said` is given, words that the texts repeat from the texts `said`, which they reply to, are ignored (the
/// plugin's method `compare_ignoring`).
std::vector<std::vector<double>> compare(Plugin<Similarity>& similarity, const std::vector<std::string>& a,
                                         const std::vector<std::string>& b,
                                         const std::optional<std::vector<std::string>>& said = std::nullopt);

/// Processes records by a stage (one step of a data pipeline). Returns one outcome for each record, in order: either
/// output records, each a JSON object with an "id", or that it is unchanged, or a reason for dropping it. Counts are
/// finite.
std::vector<Outcome> make(Plugin<Stage>& stage, const std::vector<nlohmann::json>& records);

}  // namespace compeer::plugin
