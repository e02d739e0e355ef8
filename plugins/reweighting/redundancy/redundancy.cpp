// Eq. 5-7 of the paper: reduces the rewards of completions that repeat each other or the conversation. The equations
// are in equations.h; this file computes their inputs.
//
// The length coefficient protects short outputs. With the defaults tau exceeds 0.99 from 15 tokens on, so it has no
// effect on longer ones; the first such group is logged.
//
// Dividing by similarity favours anything unusual, including broken grammar over naming the user's problem. Two
// settings correct this; neither is in the paper: `ignore_user_words` ignores the user's own words,
// `min_token_probability` denies the bonus to completions with very unlikely tokens.

#include <algorithm>
#include <cmath>

#include "compeer/plugin.h"
#include "compeer/reweighting.h"
#include "compeer/similarity.h"
#include "empathy/format.h"
#include "reweighting/redundancy/equations.h"
#include "text/words.h"

namespace {

using namespace compeer;

class Redundancy : public Reweighting {
 public:
  Redundancy(const Settings& settings, Host& host)
      : host_(host),
        similarity_(host.similarity(settings.table("similarity"))),
        alpha_(settings.number("alpha")),
        beta_(settings.number("beta")),
        mode_(settings.text("mode") == "signed" ? redundancy::Mode::signed_ : redundancy::Mode::paper),
        unit_(settings.text("unit")),
        replies_only_(settings.text("on") == "reply"),
        assistant_only_(settings.text("history") == "assistant"),
        ignore_user_words_(settings.flag("ignore_user_words")),
        least_log_prob_(std::log(settings.number("min_token_probability"))),
        clamp_(settings.flag("clamp_negative")) {
    if (settings.has("tau")) forced_tau_ = settings.number("tau");
    if (ignore_user_words_) similarity_.compare_ignoring({}, {}, {});  // throws if the similarity can't do this
  }

  std::vector<std::string> factors() const override { return {"s_in", "s_hi", "tau", "divisor", "negative"}; }

  Scores reweight(const Group& group, std::span<const double> rewards) override {
    const auto outputs = compared(group.completions);
    const auto history = utterances(group.example);
    const size_t G = outputs.size(), H = history.size();
    auto others = outputs;  // one call, because a similarity may need a model for each text
    others.insert(others.end(), history.begin(), history.end());
    const auto cosines = ignore_user_words_ ? similarity_.compare_ignoring(said_by_user(group.example), outputs, others)
                                            : similarity_.compare(outputs, others);
    const double tau = forced_tau_ ? *forced_tau_ : redundancy::tau(alpha_, beta_, length(group, outputs));
    say_if_idle(tau);
    std::vector<double> s_in, s_hi;
    std::vector<redundancy::Reweighted> all;
    double divisors = 0;
    for (size_t i = 0; i < G; ++i) {
      const double* row = cosines[i].data();
      s_in.push_back(clamped(redundancy::in_group(row, i, G)));
      s_hi.push_back(clamped(redundancy::in_history(row + G, H)));
      all.push_back(redundancy::reweight(rewards[i], s_in[i], s_hi[i], tau, mode_));
      divisors += all[i].divisor;
    }
    Scores reweighted;
    for (size_t i = 0; i < G; ++i) {
      if (group.completions[i].least_log_prob < least_log_prob_)
        all[i] = redundancy::without_bonus(rewards[i], all[i], divisors / static_cast<double>(G), mode_);
      reweighted.add({{"reward", all[i].reward},
                      {"s_in", s_in[i]},
                      {"s_hi", s_hi[i]},
                      {"tau", tau},
                      {"divisor", all[i].divisor},
                      {"negative", rewards[i] < 0.0}});
    }
    return reweighted;
  }

 private:
  std::vector<std::string> compared(const std::vector<Completion>& completions) const {
    std::vector<std::string> texts;
    for (const auto& one : completions) texts.push_back(replies_only_ ? empathy::reply_of(one.text) : one.text);
    return texts;
  }

  // Returns H of Eq. (6): the utterances without system turns; earlier answers are reduced to the same part as
  // completions.
  std::vector<std::string> utterances(const Example& example) const {
    std::vector<std::string> texts;
    for (const auto& turn : example.history) {
      const bool assistant = turn.role == "assistant";
      if (turn.role == "system" || (assistant_only_ && !assistant)) continue;
      texts.push_back(assistant && replies_only_ ? empathy::reply_of(turn.text) : turn.text);
    }
    return texts;
  }

  static std::vector<std::string> said_by_user(const Example& example) {
    std::vector<std::string> texts;
    for (const auto& turn : example.history) {
      if (turn.role == "user") texts.push_back(turn.text);
    }
    return texts;
  }

  // Returns L of Eq. (7). Tokens are those sampled, with the reasoning; words and characters are those of the compared
  // texts.
  double length(const Group& group, const std::vector<std::string>& outputs) const {
    int64_t sum = 0;
    for (size_t i = 0; i < outputs.size(); ++i) {
      sum += unit_ == "tokens"  ? group.completions[i].tokens
             : unit_ == "words" ? static_cast<int64_t>(text::words(outputs[i]).size())
                                : text::characters(outputs[i]);
    }
    return static_cast<double>(sum) / static_cast<double>(outputs.size());
  }

  double clamped(double s) const { return clamp_ ? std::max(s, 0.0) : s; }

  void say_if_idle(double tau) {
    if (said_ || forced_tau_ || tau < 0.99) return;
    said_ = true;
    host_.log("note: tau = " + std::to_string(tau) +
              ": outputs are so long that the length coefficient (Eq. 7) is at its maximum; "
              "adjust alpha and beta");
  }

  Host& host_;
  Similarity& similarity_;
  double alpha_, beta_;
  redundancy::Mode mode_;
  std::string unit_;
  bool replies_only_, assistant_only_, ignore_user_words_;
  double least_log_prob_;  // log-probability; -inf: off
  bool clamp_;
  std::optional<double> forced_tau_;
  bool said_ = false;
};

}  // namespace

COMPEER_PLUGIN(Reweighting, reweighting, redundancy, Redundancy, R"json(
  "version": "1.0.0",
  "summary": "Reduces rewards of completions that repeat their group or the conversation (Eq. 5-7).",
  "parameters": {
    "alpha": {"type": "number", "default": 0.5, "above": 0, "help": "steepness of the length coefficient tau, Eq. 7"},
    "beta": {"type": "number", "default": 5.0, "help": "average length at which tau is 1/2, Eq. 7"},
    "mode": {"type": "string", "default": "paper", "choices": ["paper", "signed"],
             "help": "negative rewards of redundant texts: paper divides them (towards 0), signed multiplies them"},
    "similarity": {"type": "plugin", "kind": "similarity", "default": "hashed_ngrams", "help": "measure of similarity"},
    "unit": {"type": "string", "default": "tokens", "choices": ["tokens", "words", "characters"],
             "help": "unit of the length L in Eq. 7: sampled tokens, or words or characters of the compared text"},
    "on": {"type": "string", "default": "reply", "choices": ["reply", "completion"],
           "help": "text that is compared: the reply after the reasoning steps, or the whole completion"},
    "history": {"type": "string", "default": "all", "choices": ["all", "assistant"],
                "help": "earlier turns that s_hi compares with: all, or only the assistant's"},
    "ignore_user_words": {"type": "boolean", "default": false,
      "help": "similarity ignores words taken from the user's turns (not in the paper)"},
    "min_token_probability": {"type": "number", "default": 0.0, "min": 0, "below": 1,
      "help": "no bonus for completions with a token below this probability; 0: off (not in the paper)"},
    "tau": {"type": "number", "default": null, "min": 0, "help": "fixed tau instead of Eq. 7; unset: Eq. 7"},
    "clamp_negative": {"type": "boolean", "default": false, "help": "treat similarities below 0 as 0"}
  })json")
