// DAPO's soft length penalty: 0 up to `most` - `cache` tokens, then decreasing linearly to -1 at `most`.
//
//   most   tokens at which the penalty is -1; usually sampling.max_new_tokens
//   cache  number of tokens over which the penalty grows
//   least  lower limit of the penalty (null: it continues to decrease)

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "compeer/plugin.h"
#include "compeer/reward.h"

namespace {

using namespace compeer;

class Overlong : public Reward {
 public:
  explicit Overlong(const Settings& settings)
      : most_(settings.number("most")),
        cache_(settings.number("cache")),
        least_(settings.has("least") ? settings.number("least") : -std::numeric_limits<double>::infinity()) {
    if (cache_ > most_) throw std::invalid_argument("'cache' must not be larger than 'most'");
  }

  Scores score(const Group& group) override {
    Scores scores;
    for (const auto& completion : group.completions) {
      const double past = static_cast<double>(completion.tokens) - (most_ - cache_);
      scores["penalty"].push_back(past <= 0 ? 0.0 : std::max(-past / cache_, least_));
    }
    return scores;
  }

 private:
  double most_, cache_, least_;
};

}  // namespace

COMPEER_PLUGIN(Reward, rewards, overlong, Overlong, R"json(
  "version": "1.0.0",
  "summary": "A soft penalty for completions near or above a length (DAPO).",
  "columns": ["penalty"],
  "parameters": {
    "most": {"type": "number", "above": 0,
      "help": "tokens at which the penalty is -1; usually sampling.max_new_tokens"},
    "cache": {"type": "number", "above": 0, "help": "tokens below 'most' over which the penalty grows"},
    "least": {"type": "number", "default": -1.0, "max": 0,
              "help": "lowest value of the penalty; null: no limit"}
  })json")
