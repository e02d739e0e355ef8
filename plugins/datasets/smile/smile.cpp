/// SMILE: questions and answers of a forum, turned into dialogues by a model, Chinese. One file a dialogue. (The labels
/// of its sentences are empty in all files, and the sentences are the content over again: neither is read.)
#include "compeer/plugin.h"
#include "corpora/corpus.h"

namespace {

using namespace compeer::corpora;

const std::vector<std::pair<std::string_view, Role>> kRoles = {{"client", Role::seeker},
                                                               {"counselor", Role::supporter}};

Dialogue dialogue_of(const CorpusFile&, const std::string& bytes) {
  const json messages = parse(bytes, 0);
  if (!messages.is_array()) throw Refusal("is no JSON list");
  Dialogue dialogue;
  each(messages, "message", [&](const json& one, size_t) {
    dialogue.utterances.push_back({role_of(one, "role", kRoles), text_of(one, "content")});
  });
  return dialogue;
}

class Smile : public Corpus {
 public:
  Smile(const compeer::Settings& settings, compeer::Host& host)
      : Corpus({"smile", "zh", {".json"}, whole_files(dialogue_of)}, settings, host) {}
};

}  // namespace

COMPEER_PLUGIN(Dataset, datasets, smile, Smile,
               R"json(
  "version": "1.0.0",
  "summary": "SMILE: a forum's questions and answers as dialogues, Chinese.",
  "parameters": {)json" COMPEER_CORPUS_SETTINGS R"json(})json")
