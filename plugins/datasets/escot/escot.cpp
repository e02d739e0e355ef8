/// ESCoT: a dialogue, the response at its end, and the reasoning behind the response, English. Only the response is
/// used as an answer, because the earlier turns have neither strategy nor reasoning.
#include "compeer/plugin.h"
#include "corpora/corpus.h"

namespace {

using namespace compeer::corpora;

const RecordLayout dialogue_layout = {.turns = "dialog",
                                      .turn = "utterance",
                                      .speaker = "speaker",
                                      .text = {"content"},
                                      .roles = {{"seeker", Role::seeker}, {"supporter", Role::supporter}}};

Dialogue with_response(const json& record) {
  const json &original = object_of(record, "original_data"), &reasoning = object_of(record, "cot_data");
  Dialogue dialogue = dialogue_layout(original);
  dialogue.id = id_of(record, "id");
  dialogue.target_answers = {dialogue.utterances.size()};
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

const CorpusLayout escot_layout = {"escot", "en", {".json", ".jsonl"}, json_records(with_response)};

}  // namespace

COMPEER_PLUGIN(Dataset, datasets, escot, CorpusOf<escot_layout>,
               R"json(
  "version": "1.0.0",
  "summary": "ESCoT: responses with the reasoning behind them, English.",
  "parameters": {)json" COMPEER_CORPUS_SETTINGS R"json(})json")
