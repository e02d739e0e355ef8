/// SMILE: questions and answers of a forum, turned into dialogues by a model, Chinese. One file a dialogue. (The labels
/// of its sentences are empty in all files, and the sentences are the content over again: neither is read.)
#include "compeer/plugin.h"
#include "corpora/corpus.h"

namespace {

using namespace compeer::corpora;

const RecordLayout dialogue_layout = {.turns = "",
                                      .turn = "message",
                                      .speaker = "role",
                                      .text = {"content"},
                                      .roles = {{"client", Role::seeker}, {"counselor", Role::supporter}}};

const CorpusLayout smile_layout = {"smile", "zh", {".json"}, json_lists(dialogue_layout)};

}  // namespace

COMPEER_PLUGIN(Dataset, datasets, smile, CorpusOf<smile_layout>,
               R"json(
  "version": "1.0.0",
  "summary": "SMILE: a forum's questions and answers as dialogues, Chinese.",
  "parameters": {)json" COMPEER_CORPUS_SETTINGS R"json(})json")
