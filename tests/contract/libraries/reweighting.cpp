// A reweighting that breaks what its kind promises, as its setting `act` says.
#include "compeer/reweighting.h"
#include "compeer/plugin.h"

namespace {

using namespace compeer;

class Faulty : public Reweighting {
 public:
  explicit Faulty(const Settings& settings) : act_(settings.text("act")) {}

  void reweight(const Group& group, std::span<const double> rewards, Scores& reweighted) override {
    double sum = 0;
    for (const double reward : rewards) sum += reward;
    for (size_t i = 0; i < rewards.size(); ++i)
      reweighted.add(group.completions[i], {{"reward", act_ == "divide by the sum" ? rewards[i] / sum : rewards[i]}});
    if (act_ == "write into rewards") const_cast<double&>(rewards[0]) = 7;  // NOLINT
  }

 private:
  std::string act_;
};

}  // namespace

COMPEER_PLUGIN(Reweighting, reweighting, faulty, Faulty, R"json(
  "version": "1.0.0", "summary": "Faulty.", "parameters": {"act": {"type": "string", "default": "well"}})json")
