/// SoulChatCorpus and PsyDTCorpus: counselling rewritten by models, Chinese. One layout; the topic has two names.
#include "compeer/plugin.h"
#include "corpora/corpus.h"

namespace {

using namespace compeer::corpora;

const RecordLayout dialogue_layout = {
    .turns = "messages",
    .turn = "message",
    .speaker = "role",
    .text = {"content"},
    .roles = {{"system", Role::system}, {"user", Role::seeker}, {"assistant", Role::supporter}},
    .id = "id",
    .labels = {{"topic", {"topic", "normalizedTag"}}}};

const CorpusLayout soulchat_layout = {"soulchat", "zh", {".json", ".jsonl"}, json_records(dialogue_layout)};

}  // namespace

COMPEER_PLUGIN(Dataset, datasets, soulchat, CorpusOf<soulchat_layout>,
               R"json(
  "version": "1.0.0",
  "summary": "SoulChatCorpus and PsyDTCorpus: counselling by topic, Chinese.",
  "parameters": {)json" COMPEER_CORPUS_SETTINGS R"json(})json")
