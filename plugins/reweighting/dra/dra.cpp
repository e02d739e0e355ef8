// Diversity-aware reward adjustment (DRA-GRPO, arXiv 2505.09655): divides a reward by the sum of the completion's
// similarities to its group, itself included: r~ = r / (sum over j of cos(i, j) + 1e-6).
#include <stdexcept>

#include "compeer/plugin.h"
#include "compeer/reweighting.h"
#include "compeer/similarity.h"
#include "empathy/format.h"

namespace {

using namespace compeer;

class Dra : public Reweighting {
 public:
  Dra(const Settings& settings, Host& host)
      : similarity_(host.similarity(settings.table("similarity"))), replies_only_(settings.text("on") == "reply") {}

  std::vector<std::string> factors() const override { return {"in_common", "weight"}; }

  Scores reweight(const Group& group, std::span<const double> rewards) override {
    std::vector<std::string> outputs;
    for (const auto& one : group.completions) outputs.push_back(replies_only_ ? empathy::reply_of(one.text) : one.text);
    const auto cosines = similarity_.compare(outputs, outputs);
    Scores reweighted;
    for (size_t i = 0; i < outputs.size(); ++i) {
      double in_common = 0;
      for (const double cosine : cosines[i]) in_common += cosine;
      const double weight = 1.0 / (in_common + 1e-6);
      if (!(weight > 0))
        throw std::domain_error("similarities of completion " + std::to_string(i) + " to its group add up to " +
                                std::to_string(in_common) + ", so that its weight is not positive");
      reweighted.add({{"reward", rewards[i] * weight}, {"in_common", in_common}, {"weight", weight}});
    }
    return reweighted;
  }

 private:
  Similarity& similarity_;
  bool replies_only_;
};

}  // namespace

COMPEER_PLUGIN(Reweighting, reweighting, dra, Dra, R"json(
  "version": "1.0.0",
  "summary": "Divides rewards by a completion's summed similarity to its group (DRA-GRPO).",
  "parameters": {
    "similarity": {"type": "plugin", "kind": "similarity", "default": "hashed_ngrams", "help": "measure of similarity"},
    "on": {"type": "string", "default": "completion", "choices": ["reply", "completion"],
           "help": "text that is compared: the reply after the reasoning steps, or the whole completion"}
  })json")
