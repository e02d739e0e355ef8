// A similarity that breaks what its kind promises, as its setting `act` says.
#include <ATen/ops/empty.h>

#include "compeer/plugin.h"
#include "compeer/similarity.h"

namespace {

using namespace compeer;

class Faulty : public Similarity {
 public:
  Faulty(const Settings& settings, Host&) : act_(settings.text("act")) {}

  at::Tensor compare(const std::vector<std::string>& a, const std::vector<std::string>& b) override {
    auto cosines = at::empty({static_cast<int64_t>(a.size()), static_cast<int64_t>(b.size())}, at::kDouble);
    double* out = cosines.mutable_data_ptr<double>();
    for (const auto& x : a) {
      for (const auto& y : b) *out++ = cosine(x, y);
    }
    return cosines;
  }

 private:
  double cosine(const std::string& x, const std::string& y) const {
    if (act_ == "one way") return x == y ? 1 : x < y ? 0.5 : 0;
    if (act_ == "half itself") return x == y && !x.empty() ? 0.5 : 0;
    if (act_ == "like nothing") return x == y ? 1 : 0.25;
    return x == y && !x.empty() ? 1 : 0;
  }

  std::string act_;
};

}  // namespace

COMPEER_PLUGIN(Similarity, similarity, faulty, Faulty, R"json(
  "version": "1.0.0", "summary": "Faulty.", "parameters": {"act": {"type": "string", "default": "well"}})json")
