// Prefers completions near a target length: max(-1, 1 - |length - target| / target).
//
//   target  preferred length
//   unit    tokens (as sampled, with the end token), words or characters
//   on      completion, or the reply after the reasoning steps (words and characters only)

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "compeer/plugin.h"
#include "compeer/reward.h"
#include "empathy/format.h"
#include "text/words.h"

namespace {

using namespace compeer;

class Length : public Reward {
 public:
  explicit Length(const Settings& settings)
      : target_(settings.number("target")), unit_(settings.text("unit")), reply_(settings.text("on") == "reply") {
    if (reply_ && unit_ == "tokens") {
      throw std::invalid_argument(
          "only whole completions can be measured in tokens: with on = \"reply\" set unit = \"words\" or "
          "\"characters\"");
    }
  }

  Scores score(const Group& group) override {
    Scores scores;
    for (const auto& completion : group.completions) {
      const double length = length_of(completion);
      const double closeness = std::max(-1.0, 1.0 - std::abs(length - target_) / target_);
      scores.add({{"closeness", closeness}, {"length", length}});
    }
    return scores;
  }

 private:
  double length_of(const Completion& completion) const {
    if (unit_ == "tokens") return static_cast<double>(completion.tokens);
    const std::string text = reply_ ? empathy::reply_of(completion.text) : completion.text;
    return unit_ == "words" ? static_cast<double>(text::words(text).size())
                            : static_cast<double>(text::characters(text));
  }

  double target_;
  std::string unit_;
  bool reply_;
};

}  // namespace

COMPEER_PLUGIN(Reward, rewards, length, Length, R"json(
  "version": "1.0.0",
  "summary": "Prefers completions near a target length.",
  "columns": ["closeness", "length"],
  "parameters": {
    "target": {"type": "number", "default": 40.0, "above": 0, "help": "target length, in 'unit'"},
    "unit": {"type": "string", "default": "tokens", "choices": ["tokens", "words", "characters"],
             "help": "unit of the length"},
    "on": {"type": "string", "default": "completion", "choices": ["completion", "reply"],
           "help": "text whose length counts; tokens require the whole completion"}
  })json")
