// Cosine similarity of the policy's own hidden states (Host::embed). Changes as the policy learns. Needs no second
// model, but a forward pass over the texts.

#include "compeer/plugin.h"
#include "compeer/similarity.h"
#include "similarity/cosines.h"

namespace {

using namespace compeer;

class PolicyEmbedding : public Similarity {
 public:
  PolicyEmbedding(const Settings&, Host& host) : host_(host) {}

  std::vector<std::vector<double>> compare(const std::vector<std::string>& a,
                                           const std::vector<std::string>& b) override {
    return similarity::cosines(a, b, [&](const auto& texts) { return host_.embed(texts); });
  }

 private:
  Host& host_;
};

}  // namespace

COMPEER_PLUGIN(Similarity, similarity, policy_embedding, PolicyEmbedding, R"json(
  "version": "1.0.0",
  "summary": "Cosine of the mean hidden states of the policy.",
  "parameters": {})json")
