// A reweighting plugin that violates the interface in the way that its setting `act` names.
#include "compeer/reweighting.h"
#include "compeer/plugin.h"

namespace {

using namespace compeer;

class Faulty : public Reweighting {
 public:
  explicit Faulty(const Settings& settings) : act_(settings.text("act")) {}

  Scores reweight(const Group&, std::span<const double> rewards) override {
    double sum = 0;
    for (const double reward : rewards) sum += reward;
    Scores reweighted;
    for (const double reward : rewards)
      reweighted["reward"].push_back(act_ == "divide by the sum" ? reward / sum : reward);
    if (act_ == "write into rewards") const_cast<double&>(rewards[0]) = 7;  // NOLINT
    return reweighted;
  }

 private:
  std::string act_;
};

}  // namespace

COMPEER_PLUGIN(Reweighting, reweighting, faulty, Faulty, R"json(
  "version": "1.0.0", "summary": "Faulty.", "parameters": {"act": {"type": "string", "default": "well"}})json")
