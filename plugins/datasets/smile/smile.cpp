/// SMILE: questions and answers of a forum, converted to dialogues by a model, Chinese. One dialogue per file. (Its
/// sentences repeat the content and their labels are always empty, so they are not read.)
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
