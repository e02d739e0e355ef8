#include "weights.h"

#include "merger.h"
#include "tower.h"

namespace compeer::qwen2_5_vl {

namespace {

std::string newer_name(const std::string& published) {
  if (published.starts_with("visual.")) return "model." + published;
  if (published.starts_with("model.")) return "model.language_model." + published.substr(6);
  return published;
}

decoder::Store open(const std::filesystem::path& folder, const decoder::Keeping& keeping) {
  if (decoder::Store(folder, keeping).has(newer_name("model.embed_tokens.weight")))
    return decoder::Store(folder, keeping, newer_name);
  return decoder::Store(folder, keeping);
}

}  // namespace

decoder::Keeping tower_keeping(const decoder::Keeping& keeping) {
  decoder::Keeping tower = keeping;
  tower.frozen = true;
  if (!keeping.frozen || keeping.in_blocks()) tower.precision = "stored";
  return tower;
}

VlWeights load(const VlConfig& config, const std::filesystem::path& folder, const decoder::Keeping& keeping,
               bool merger_trains) {
  const auto text = decoder::entries(config.text), tower = tower_entries(config.vision),
             merger = merger_entries(config.vision);
  auto all = text;
  all.insert(all.end(), tower.begin(), tower.end());
  all.insert(all.end(), merger.begin(), merger.end());
  const decoder::Store trained = open(folder, keeping), frozen = open(folder, tower_keeping(keeping));
  trained.check(all);
  return {trained.take(text), frozen.take(tower), (merger_trains ? trained : frozen).take(merger),
          trained.release(),  frozen.release(),   keeping.frozen ? trained.fingerprint(text) : ""};
}

}  // namespace compeer::qwen2_5_vl
