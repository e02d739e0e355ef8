// Rewards as they are.
#include <ATen/core/Tensor.h>

#include "compeer/plugin.h"
#include "compeer/reweighting.h"

namespace {

using namespace compeer;

class None : public Reweighting {
 public:
  None(const Settings&, Host&) {}
  std::vector<std::string> factors() const override { return {}; }
  at::Tensor reweight(const Group&, const at::Tensor& rewards) override { return rewards.unsqueeze(1); }
};

}  // namespace

COMPEER_PLUGIN(Reweighting, reweighting, none, None, R"json(
  "version": "1.0.0",
  "summary": "Leaves rewards as they are.",
  "parameters": {})json")
