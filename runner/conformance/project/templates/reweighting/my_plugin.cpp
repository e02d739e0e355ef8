// my_plugin: completions with the same text share one reward: each gets it divided by (how many there are) ^ `power`.
#include <compeer/plugin.h>
#include <compeer/reweighting.h>

#include <cmath>
#include <map>

namespace {

class MyPlugin : public compeer::Reweighting {
 public:
  // Every key of the descriptor below is present, with a valid type and range. Any exception rejects the settings; its
  // message is shown to the user.
  explicit MyPlugin(const compeer::Settings& settings) : power_(settings.number("power")) {}

  // Names of the additional columns, for the log.
  std::vector<std::string> factors() const override { return {"copies"}; }

  // Returns the new rewards and the additional columns.
  compeer::Scores reweight(const compeer::Group& group, std::span<const double> rewards) override {
    std::map<std::string, double> copies;
    for (const auto& completion : group.completions) ++copies[completion.text];
    compeer::Scores reweighted;
    for (size_t i = 0; i < rewards.size(); ++i) {
      const double same = copies[group.completions[i].text];
      reweighted.add({{"reward", rewards[i] / std::pow(same, power_)}, {"copies", same}});
    }
    return reweighted;
  }

 private:
  double power_;
};

}  // namespace

COMPEER_PLUGIN(Reweighting, reweighting, my_plugin, MyPlugin, R"json(
  "version": "1.0.0",
  "summary": "Completions with the same text share one reward.",
  "parameters": {
    "power": {"type": "number", "default": 1.0, "min": 0,
      "help": "exponent of the number of copies, by which rewards are divided"}
  })json")
