// A similarity plugin that violates the interface in the way that its setting `act` names.
#include "compeer/similarity.h"
#include "compeer/plugin.h"

namespace {

using namespace compeer;

class Faulty : public Similarity {
 public:
  explicit Faulty(const Settings& settings) : act_(settings.text("act")) {}

  std::vector<std::vector<double>> compare(const std::vector<std::string>& a,
                                           const std::vector<std::string>& b) override {
    std::vector<std::vector<double>> cosines(a.size());
    for (size_t i = 0; i < a.size(); ++i) {
      for (const auto& y : b) cosines[i].push_back(cosine(a[i], y));
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
