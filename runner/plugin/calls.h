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

/// Calls of plugins with checked results. If a result violates the interface, these functions throw Error (exit 5)
/// naming the plugin, the method and the value: "returned NaN in column 'quality' of completion 2 (the first is 0)".

/// Thrown if a plugin returns a number that is NaN or infinite.
class NotFinite : public PluginError {
 public:
  using PluginError::PluginError;
};

/// Returns the number of records in a split. Throws Error (exit 4) if there are none; its help names the splits that
/// have some. `setting`: the setting that names the split, for the message.
int64_t records_in(Plugin<Dataset>& dataset, const std::string& split, const std::string& setting);

/// Number of records that a dataset skipped, and a line for the log that names the first one ("" if none).
struct LeftOutCount {
  int64_t count = 0;
  std::string text;
};
LeftOutCount left_out(Plugin<Dataset>& dataset);

/// Returns the names of a reward's columns, from the plugin or its descriptor: at least one, unique, up to 64 letters,
/// digits, `_`, `-`, `.`.
std::vector<std::string> columns(Plugin<Reward>& reward);

/// The scores of a group, or the exception that prevented them.
struct GroupScores {
  Scores scores;
  std::exception_ptr failure = nullptr;
};
/// Scores all groups in one call. Returns for each group the columns `names` (the result of `columns`) in this order,
/// rounded to float32; they are finite, or NaN if the reward abstains. If the call fails for several groups, each is
/// scored alone to find the faulty one; failures are returned, not thrown. Throws only the Error of a run that is to
/// stop.
std::vector<GroupScores> score(Plugin<Reward>& reward, std::span<const Group> groups,
                               const std::vector<std::string>& names);
/// Returns the scores of one group. Throws its failure.
Scores score(Plugin<Reward>& reward, const Group& group, const std::vector<std::string>& names);

/// Returns which completions cause `failure` of a reward for this group: "completion 2 (the first is 0)" if scoring
/// that one alone fails in the same way, "every completion" if each of several does. "" if none fails alone, if the
/// message already names one, or if the failure came from another plugin.
std::string culprit(Plugin<Reward>& reward, const Group& group, const std::vector<std::string>& names,
                    const PluginError& failure);

/// Returns the names of the columns after "reward"; may be empty. They are unique and none is "reward".
std::vector<std::string> factors(Plugin<Reweighting>& reweighting);

/// Returns the column "reward" and then `names` (the result of `factors`), all finite. `rewards` has one number for
/// each completion.
Scores reweight(Plugin<Reweighting>& reweighting, const Group& group, std::span<const double> rewards,
                const std::vector<std::string>& names);

/// Returns [a.size()][b.size()], finite, in [-1, 1]. Calls `compare_ignoring` if `said` is given, otherwise `compare`.
std::vector<std::vector<double>> compare(Plugin<Similarity>& similarity, const std::vector<std::string>& a,
                                         const std::vector<std::string>& b,
                                         const std::optional<std::vector<std::string>>& said = std::nullopt);

/// Returns one outcome for each record: either output records, each an object with an id, or a reason for dropping it.
/// Counts are finite.
std::vector<Outcome> make(Plugin<Stage>& stage, const std::vector<nlohmann::json>& records);

}  // namespace compeer::plugin
