/// SoulChatCorpus and PsyDTCorpus: counselling rewritten by models, Chinese. One layout; the topic goes by two names.
#include "compeer/plugin.h"
#include "corpora/corpus.h"

namespace {

using namespace compeer::corpora;

const std::vector<std::pair<std::string_view, Role>> kRoles = {
    {"system", Role::system}, {"user", Role::seeker}, {"assistant", Role::supporter}};

Dialogue dialogue_of(const json& record) {
  Dialogue dialogue;
  each(list_of(record, "messages"), "message", [&](const json& one, size_t) {
    dialogue.utterances.push_back({role_of(one, "role", kRoles), text_of(one, "content")});
  });
  dialogue.id = id_of(record, "id");
  dialogue.labels = {{"topic", label(record, record.contains("topic") ? "topic" : "normalizedTag")}};
  return dialogue;
}

class Soulchat : public Corpus {
 public:
  Soulchat(const compeer::Settings& settings, compeer::Host& host)
      : Corpus({"soulchat", "zh", {".json", ".jsonl"}, json_records(dialogue_of)}, settings, host) {}
};

}  // namespace

COMPEER_PLUGIN(Dataset, datasets, soulchat, Soulchat,
               R"json(
  "version": "1.0.0",
  "summary": "SoulChatCorpus and PsyDTCorpus: counselling by topic, Chinese.",
  "parameters": {)json" COMPEER_CORPUS_SETTINGS R"json(})json")
