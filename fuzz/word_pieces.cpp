// Input: vocab.txt or tokenizer.json of a BERT tokenizer, and in a second part tokenizer_config.json. The tokenizer
// encodes texts.
#include "language/word_pieces.h"

#include "input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compeer;
  static const fuzz::Folder plain, whole;
  const auto parts = fuzz::parts_of(fuzz::text_of(data, size));
  plain.write("vocab.txt", parts[0]);
  whole.write("tokenizer.json", parts[0]);
  for (const fuzz::Folder* folder : {&plain, &whole}) {
    folder->write("tokenizer_config.json", parts.size() > 1 ? parts[1] : "{}");
    fuzz::expect_errors_only({Exit::data}, [&] {
      const auto pieces = language::WordPieces::load(folder->path());
      for (const std::string_view text :
           {parts.back().substr(0, 300), std::string_view("Caf\xC3\xA9s play-ing \xFF")}) {
        const auto ids = pieces.encode(text, 16);
        fuzz::expect(ids.size() >= 2 && ids.size() <= 16);
        for (const int32_t id : ids) fuzz::expect(id >= 0 && id < pieces.size());
      }
    });
  }
  return 0;
}
