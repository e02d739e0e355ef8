// Minus the fraction of a completion's n-grams of words that occur earlier in the same text, or in the assistant's
// earlier turns. 0 if nothing is repeated (or there are fewer than n words), -1 if everything is.
//
//   n        words of an n-gram
//   on       reply (after the reasoning steps) or completion
//   history  whether the assistant's earlier turns count

#include <unordered_set>

#include "compeer/plugin.h"
#include "compeer/reward.h"
#include "empathy/format.h"
#include "text/words.h"

namespace {

using namespace compeer;

class RepetitionReward : public Reward {
 public:
  explicit RepetitionReward(const Settings& settings)
      : n_(static_cast<size_t>(settings.integer("n"))),
        reply_(settings.text("on") == "reply"),
        history_(settings.flag("history")) {}

  Scores score(const Group& group) override {
    const auto before = said_before(group.example);
    Scores scores;
    for (const auto& completion : group.completions) scores.add(judged(runs(completion.text), before));
    return scores;
  }

 private:
  std::vector<uint64_t> runs(const std::string& whole) const {
    const auto words = text::words(reply_ ? empathy::reply_of(whole) : whole);
    std::vector<uint64_t> found;
    for (size_t i = 0; i + n_ <= words.size(); ++i) found.push_back(text::hash(&words[i], &words[i] + n_));
    return found;
  }

  std::unordered_set<uint64_t> said_before(const Example& example) const {
    std::unordered_set<uint64_t> said;
    for (const auto& turn : example.history) {
      if (!history_ || turn.role != "assistant") continue;
      for (const uint64_t run : runs(turn.text)) said.insert(run);
    }
    return said;
  }

  // An n-gram that is repeated in both ways counts once in the penalty.
  static Scores::Row judged(const std::vector<uint64_t>& runs, const std::unordered_set<uint64_t>& before) {
    std::unordered_set<uint64_t> seen;
    int64_t either = 0, within = 0, earlier = 0;
    for (const uint64_t run : runs) {
      const bool again = !seen.insert(run).second, old = before.contains(run);
      within += again;
      earlier += old;
      either += again || old;
    }
    const auto share = [&](int64_t count) {
      return count > 0 ? static_cast<double>(count) / static_cast<double>(runs.size()) : 0.0;
    };
    return {{"penalty", either > 0 ? -share(either) : 0.0},  // avoids -0
            {"within", share(within)},
            {"before", share(earlier)}};
  }

  size_t n_;
  bool reply_, history_;
};

}  // namespace

COMPEER_PLUGIN(Reward, rewards, repetition, RepetitionReward, R"json(
  "version": "1.0.0",
  "summary": "Penalizes repetition: minus the share of word n-grams that occurred before.",
  "columns": ["penalty", "within", "before"],
  "parameters": {
    "n": {"type": "integer", "default": 3, "min": 1, "max": 16, "help": "words per n-gram"},
    "on": {"type": "string", "default": "reply", "choices": ["reply", "completion"],
           "help": "text that is checked: the reply after the reasoning steps, or the whole completion"},
    "history": {"type": "boolean", "default": true, "help": "also compare with the assistant's earlier turns"}
  })json")
