// Diversity-aware reward adjustment (DRA-GRPO, arXiv 2505.09655): a reward is divided by how much its completion has in
// common with its group, itself included:  r~ = r / (sum over j of cos(i, j) + 1e-6).
#include <ATen/ops/empty.h>

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

  at::Tensor reweight(const Group& group, const at::Tensor& rewards) override {
    std::vector<std::string> outputs;
    for (const auto& one : group.completions) outputs.push_back(replies_only_ ? empathy::reply_of(one.text) : one.text);
    const auto G = static_cast<int64_t>(outputs.size());
    const at::Tensor cosines = similarity_.compare(outputs, outputs);
    auto result = at::empty({G, 3}, at::kDouble);
    double* out = result.mutable_data_ptr<double>();
    for (int64_t i = 0; i < G; ++i) {
      const double* row = cosines.const_data_ptr<double>() + i * G;
      double in_common = 0;
      for (int64_t j = 0; j < G; ++j) in_common += row[j];
      const double weight = 1.0 / (in_common + 1e-6);
      if (!(weight > 0))
        throw std::domain_error("similarities of completion " + std::to_string(i) + " to its group add up to " +
                                std::to_string(in_common) + ", which no weight follows from");
      for (const double value : {rewards.const_data_ptr<double>()[i] * weight, in_common, weight}) *out++ = value;
    }
    return result;
  }

 private:
  Similarity& similarity_;
  bool replies_only_;
};

}  // namespace

COMPEER_PLUGIN(Reweighting, reweighting, dra, Dra, R"json(
  "version": "1.0.0",
  "summary": "Divides rewards by what a completion has in common with its group (DRA-GRPO).",
  "parameters": {
    "similarity": {"type": "plugin", "kind": "similarity", "default": "hashed_ngrams", "help": "how alike texts are"},
    "on": {"type": "string", "default": "completion", "choices": ["reply", "completion"],
           "help": "what is compared: the reply after the reasoning steps, or everything"}
  })json")
