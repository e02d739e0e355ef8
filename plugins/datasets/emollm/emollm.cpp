/// EmoLLM: counselling written by models, Chinese. Rounds of input and output; a round may have a system message.
#include "compeer/plugin.h"
#include "corpora/corpus.h"

namespace {

using namespace compeer::corpora;

Dialogue dialogue_of(const json& record) {
  Dialogue dialogue;
  each(list_of(record, "conversation"), "round", [&](const json& round, size_t) {
    const json system = label(round, "system");
    if (system.is_string()) dialogue.utterances.push_back({Role::system, system.get<std::string>()});
    dialogue.utterances.push_back({Role::seeker, text_of(round, "input")});
    dialogue.utterances.push_back({Role::supporter, text_of(round, "output")});
  });
  return dialogue;
}

const CorpusLayout emollm_layout = {"emollm", "zh", {".json", ".jsonl"}, json_records(dialogue_of)};

}  // namespace

COMPEER_PLUGIN(Dataset, datasets, emollm, CorpusOf<emollm_layout>,
               R"json(
  "version": "1.0.0",
  "summary": "EmoLLM: counselling in rounds of input and output, Chinese.",
  "parameters": {)json" COMPEER_CORPUS_SETTINGS R"json(})json")
