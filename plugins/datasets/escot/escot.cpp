/// ESCoT: a dialogue, the response to its end, and the reasoning behind it, English. Only the response is an answer:
/// the supporter's turns before it have neither strategy nor reasoning.
#include "compeer/plugin.h"
#include "corpora/corpus.h"

namespace {

using namespace compeer::corpora;

const std::vector<std::pair<std::string_view, Role>> kSpeakers = {{"seeker", Role::seeker},
                                                                  {"supporter", Role::supporter}};

Dialogue dialogue_of(const json& record) {
  const json &original = object_of(record, "original_data"), &reasoning = object_of(record, "cot_data");
  Dialogue dialogue;
  each(list_of(original, "dialog"), "utterance", [&](const json& one, size_t) {
    dialogue.utterances.push_back({role_of(one, "speaker", kSpeakers), text_of(one, "content")});
  });
  dialogue.id = id_of(record, "id");
  dialogue.asked = {dialogue.utterances.size()};
  dialogue.utterances.push_back({Role::supporter,
                                 text_of(original, "response"),
                                 {{"strategy", label(original, "strategy")},
                                  {"recognized_strategy", label(reasoning, "recognized_strategy")},
                                  {"emotion", label(reasoning, "emotion")},
                                  {"stimulus", label(reasoning, "emotion_stimuli")},
                                  {"appraisal", label(reasoning, "individual_appraisal")},
                                  {"reason", label(reasoning, "strategy_reason")}}});
  return dialogue;
}

class Escot : public Corpus {
 public:
  Escot(const compeer::Settings& settings, compeer::Host& host)
      : Corpus({"escot", "en", {".json", ".jsonl"}, json_records(dialogue_of)}, settings, host) {}
};

}  // namespace

COMPEER_PLUGIN(Dataset, datasets, escot, Escot,
               R"json(
  "version": "1.0.0",
  "summary": "ESCoT: responses with the reasoning behind them, English.",
  "parameters": {)json" COMPEER_CORPUS_SETTINGS R"json(})json")
