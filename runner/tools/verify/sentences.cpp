// A published sentence encoder, whose weights come in a package: ids, and the cosines of its vectors.
#include <fmt/format.h>

#include "base/json.h"
#include "base/scratch.h"
#include "compeer/similarity.h"
#include "inference/open_plugin.h"
#include "language/word_pieces.h"
#include "tools/verify/values.h"

namespace compeer::verify {

namespace {

using nlohmann::json;

constexpr double kCosine = 1e-6;

// Texts that spell a special piece are passed over: to us "[MASK]" is text, which nobody can forge.
Check compare_ids(const std::string& name, const language::WordPieces& pieces, const json& records, size_t most) {
  Largest different;
  for (const json& one : records) {
    const auto text = one.at("text").get<std::string>();
    if (text.find("[MASK]") != text.npos || text.find("[CLS]") != text.npos || text.find("[SEP]") != text.npos)
      continue;
    different.take(pieces.encode(text, most) == one.at("ids").get<std::vector<int32_t>>() ? 0 : 1);
  }
  return different.check(name, 0, "texts");
}

}  // namespace

std::vector<Check> verify_sentences(const std::filesystem::path& file, const VerifyOptions& options) {
  const json golden = read_reference(file);
  const Scratch scratch;
  return reading(file, [&] {
    const auto folder = model_folder(file, options, scratch.folder());
    const auto pieces = language::WordPieces::load(folder);
    std::vector<Check> checks{
        compare_ids("sentences.ids", pieces, golden.at("sentences"), golden.at("max_seq_length").get<size_t>()),
        compare_ids("wordpiece.ids", pieces, golden.at("wordpiece"), 512)};
    std::vector<std::string> texts;
    for (const json& one : golden.at("sentences")) texts.push_back(one.at("text"));
    const auto services = inference::command_services();
    auto encoder = inference::open_plugin<Similarity>("sentence_encoder", {{"path", folder.string()}}, services);
    const auto ours = encoder.call("compare", [&](Similarity& one) { return one.compare(texts, texts); });
    Largest cosines;
    // A text without content has no direction here; elsewhere it has that of the pieces around every text.
    const auto empty = [&](size_t i) { return golden.at("sentences").at(i).at("ids").size() <= 2; };
    for (size_t i = 0; i < ours.size(); ++i) {
      for (size_t j = 0; j < ours.size(); ++j)
        if (!empty(i) && !empty(j)) cosines.compare(ours[i][j], golden.at("cosine").at(i).at(j));
    }
    checks.push_back(cosines.check("cosine", kCosine));
    return checks;
  });
}

}  // namespace compeer::verify
