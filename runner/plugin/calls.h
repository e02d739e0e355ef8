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

/// Calls whose results are checked at the door. What the interface doesn't allow is an Error (exit 5) that names the
/// plugin, the method and what came back: "returned NaN in column 'quality' of completion 2 (the first is 0)".

/// What is thrown for a number that is NaN or infinite.
class NotFinite : public PluginError {
 public:
  using PluginError::PluginError;
};

/// How many records a split has. Throws Error (exit 4) if it has none, which tells those that have some; `setting`:
/// what names the split, for people.
int64_t records_in(Plugin<Dataset>& dataset, const std::string& split, const std::string& setting);

/// What a data set had to leave out of its files, for the log: how many records, and "" or a line that names the first.
struct LeftOutCount {
  int64_t count = 0;
  std::string text;
};
LeftOutCount left_out(Plugin<Dataset>& dataset);

/// Names of a reward's columns, its own or its descriptor's: at least one, each once, letters, digits, `_`, `-`, `.`.
std::vector<std::string> columns(Plugin<Reward>& reward);

/// The scores of a group, or the error in their place.
struct GroupScores {
  Scores scores;
  std::exception_ptr failure = nullptr;
};
/// The scores that the plugin returned, rounded to float32: the columns `names` (what `columns` returned) in this
/// order, finite except NaN of a reward that abstains. If it fails for groups together, each is scored alone, to find
/// the one at fault. Throws only Error with exit 85, because the run is to stop.
std::vector<GroupScores> score(Plugin<Reward>& reward, std::span<const Group> groups,
                               const std::vector<std::string>& names);
/// The scores of one group. Throws its failure.
Scores score(Plugin<Reward>& reward, const Group& group, const std::vector<std::string>& names);

/// Which completions a reward's `failure` to score this group is about: "completion 2 (the first is 0)" if it fails in
/// the same way when it gets that one alone, "every completion" if it does so for each of several; "" if it fails for
/// none alone, if the failure itself names one, or if it came from another plugin.
std::string culprit(Plugin<Reward>& reward, const Group& group, const std::vector<std::string>& names,
                    const PluginError& failure);

/// Names of the columns after the first; may be none. "reward" is none of them.
std::vector<std::string> factors(Plugin<Reweighting>& reweighting);

/// The column "reward", then `names` (what `factors` returned): finite. `rewards` has one number for each completion.
Scores reweight(Plugin<Reweighting>& reweighting, const Group& group, std::span<const double> rewards,
                const std::vector<std::string>& names);

/// [a][b], finite; of texts that answer `said`, if there is any, `compare_beyond` it.
std::vector<std::vector<double>> compare(Plugin<Similarity>& similarity, const std::vector<std::string>& a,
                                         const std::vector<std::string>& b,
                                         const std::optional<std::vector<std::string>>& said = std::nullopt);

/// One outcome for each record: records, each an object with an id, or a reason why there are none; finite counts.
std::vector<Outcome> make(Plugin<Stage>& stage, const std::vector<nlohmann::json>& records);

}  // namespace compeer::plugin
