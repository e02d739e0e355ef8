// Cosine similarity by a BERT-class sentence encoder from a folder. Unlike the policy, it does not change in training.

#include "compeer/plugin.h"
#include "compeer/similarity.h"
#include "encoder.h"
#include "similarity/cosines.h"

namespace compeer::sentence_encoder {
namespace {

class SentenceEncoder : public Similarity {
 public:
  explicit SentenceEncoder(const Settings& settings) : encoder_(settings.text("path")) {}

  std::vector<std::vector<double>> compare(const std::vector<std::string>& a,
                                           const std::vector<std::string>& b) override {
    return similarity::cosines(a, b, [&](const auto& texts) { return encoder_.embed(texts); });
  }

 private:
  Encoder encoder_;
};

}  // namespace
}  // namespace compeer::sentence_encoder

COMPEER_PLUGIN(Similarity, similarity, sentence_encoder, compeer::sentence_encoder::SentenceEncoder, R"json(
  "version": "1.0.0",
  "summary": "Cosine of sentence vectors by a BERT-class encoder from a folder.",
  "parameters": {
    "path": {"type": "path", "help": "folder with config.json, model.safetensors and vocab.txt or tokenizer.json"}
  })json")
