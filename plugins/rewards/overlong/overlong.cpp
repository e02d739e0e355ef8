// DAPO's soft length penalty: 0 up to `max_tokens` - `cache` tokens, then decreasing linearly to -1 at
// `max_tokens`.
//
//   max_tokens  tokens at which the penalty is -1; usually sampling.max_new_tokens
//   cache       number of tokens over which the penalty grows
//   least       lower limit of the penalty (null: it continues to decrease)

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
      : max_tokens_(settings.number("max_tokens")),
        cache_(settings.number("cache")),
        least_(settings.has("least") ? settings.number("least") : -std::numeric_limits<double>::infinity()) {
    if (cache_ > max_tokens_) throw std::invalid_argument("'cache' must not be larger than 'max_tokens'");
  }

  Scores score(const Group& group) override {
    Scores scores;
    for (const auto& completion : group.completions) {
      const double past = static_cast<double>(completion.tokens) - (max_tokens_ - cache_);
      scores["penalty"].push_back(past <= 0 ? 0.0 : std::max(-past / cache_, least_));
    }
    return scores;
  }

 private:
  double max_tokens_, cache_, least_;
};

}  // namespace

COMPEER_PLUGIN(Reward, rewards, overlong, Overlong, R"json(
  "version": "1.0.0",
  "summary": "A soft penalty for completions near or above a length (DAPO).",
  "columns": ["penalty"],
  "parameters": {
    "max_tokens": {"type": "number", "above": 0,
      "help": "length in tokens at which the penalty is -1; usually sampling.max_new_tokens"},
    "cache": {"type": "number", "above": 0, "help": "tokens below 'max_tokens' over which the penalty grows"},
    "least": {"type": "number", "default": -1.0, "max": 0,
              "help": "lowest value of the penalty; null: no limit"}
  })json")
