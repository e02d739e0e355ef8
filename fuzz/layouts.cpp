// Input: a file for one of the dataset plugins. Its first character selects the plugin (lower case: prompts, upper
// case: esconv_sra, otherwise a corpus) and the type of the file (JSON, CSV or text).
#include <array>

#include "compeer/dataset.h"
#include "compeer/testing.h"
#include "input.h"

// Factories of the plugins. As separate libraries all call theirs compeer_make; CMakeLists.txt renames them.
#define EACH_CORPUS(make) \
  make(avamerg) make(cpsycoun) make(emollm) make(escot) make(esconv) make(mesc) make(smile) make(soulchat)
#define DECLARE(name) extern "C" const void* compeer_make_##name;
EACH_CORPUS(DECLARE)
DECLARE(prompts)
DECLARE(esconv_sra)

namespace {

using namespace compeer;
using Factory = std::unique_ptr<Dataset> (*)(const Settings&, Host&);

Factory factory(const void* made) { return reinterpret_cast<Factory>(const_cast<void*>(made)); }

struct Corpus {
  Factory make;
  const char* file;
};

const std::array<Corpus, 8>& corpora() {
#define ENTRY(name) Corpus{factory(compeer_make_##name), #name},
  static const std::array<Corpus, 8> all{{EACH_CORPUS(ENTRY)}};
  return all;
}

void read(const Corpus& corpus, const std::filesystem::path& file, const char* format) {
  TestHost host;
  const Settings settings({{"path", file.string()},
                           {"format", format},
                           {"unit", "turn"},
                           {"merge", true},
                           {"valid", 0.1},
                           {"test", 0.1},
                           {"max_unreadable", 0.5},
                           {"media", nullptr},
                           {"steps", true}});
  const auto dataset = corpus.make(settings, host);
  for (const char* split : {"train", "valid", "test"}) {
    for (int64_t i = 0; i < dataset->size(split); ++i) fuzz::expect(!dataset->get(split, i).id.empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::Folder folder;
  if (size == 0) return 0;
  const bool letter = (data[0] & 64) != 0, capital = letter && (data[0] & 32) == 0;
  const Corpus corpus = capital  ? Corpus{factory(compeer_make_esconv_sra), "esconv_sra"}
                        : letter ? Corpus{factory(compeer_make_prompts), "prompts"}
                                 : corpora()[data[0] % 8];
  const char* kind = (data[0] & 8) == 0 ? ".json" : corpus.file == std::string_view("mesc") ? ".csv" : ".txt";
  const auto file = folder.write(std::string(corpus.file) + kind, fuzz::text_of(data + 1, size - 1));
  const char* format = (data[0] & 6) == 2 ? "sharegpt" : (data[0] & 6) == 4 ? "alpaca" : "prompts";
  fuzz::expect_errors_only({Exit::data}, [&] { read(corpus, file, format); });
  return 0;
}
