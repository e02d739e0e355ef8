// A reweighting that breaks what its kind promises, as its setting `act` says.
#include <ATen/ops/empty.h>

#include "compeer/plugin.h"
#include "compeer/reweighting.h"

namespace {

using namespace compeer;

class Faulty : public Reweighting {
 public:
  Faulty(const Settings& settings, Host&) : act_(settings.text("act")) {}
  std::vector<std::string> factors() const override { return {}; }

  at::Tensor reweight(const Group&, const at::Tensor& rewards) override {
    auto result = at::empty({rewards.size(0), 1}, at::kDouble);
    const double* in = rewards.const_data_ptr<double>();
    double sum = 0;
    for (int64_t i = 0; i < rewards.size(0); ++i) sum += in[i];
    for (int64_t i = 0; i < rewards.size(0); ++i)
      result.mutable_data_ptr<double>()[i] = act_ == "divide by the sum" ? in[i] / sum : in[i];
    if (act_ == "write into rewards") rewards.mutable_data_ptr<double>()[0] = 7;
    return result;
  }

 private:
  std::string act_;
};

}  // namespace

COMPEER_PLUGIN(Reweighting, reweighting, faulty, Faulty, R"json(
  "version": "1.0.0", "summary": "Faulty.", "parameters": {"act": {"type": "string", "default": "well"}})json")
