// my_plugin: completions with the same text share one reward: each gets it divided by (how many there are) ^ `power`.
#include <ATen/ops/empty.h>
#include <compeer/plugin.h>
#include <compeer/reweighting.h>

#include <cmath>
#include <map>

namespace {

class MyPlugin : public compeer::Reweighting {
 public:
  // Every key of the descriptor below is there, in its type and range. Throw anything to refuse: the message reaches
  // the user.
  MyPlugin(const compeer::Settings& settings, compeer::Host&) : power_(settings.number("power")) {}

  // Names of columns 1, 2, ...: what the new reward in column 0 was computed from, for the log.
  std::vector<std::string> factors() const override { return {"copies"}; }

  at::Tensor reweight(const compeer::Group& group, const at::Tensor& rewards) override {
    std::map<std::string, double> copies;
    for (const auto& completion : group.completions) ++copies[completion.text];
    const at::Tensor weighed = at::empty({rewards.size(0), 2}, at::kDouble), given = rewards.contiguous();
    const double* reward = given.const_data_ptr<double>();
    double* row = weighed.mutable_data_ptr<double>();
    for (const auto& completion : group.completions) {
      const double same = copies[completion.text];
      *row++ = *reward++ / std::pow(same, power_);
      *row++ = same;
    }
    return weighed;
  }

 private:
  double power_;
};

}  // namespace

COMPEER_PLUGIN(Reweighting, reweighting, my_plugin, MyPlugin, R"json(
  "version": "1.0.0",
  "summary": "Completions with the same text share one reward.",
  "parameters": {
    "power": {"type": "number", "default": 1.0, "min": 0, "help": "of the number of copies that a reward is divided by"}
  })json")
