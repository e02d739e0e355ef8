// Input: tokenizer.json, or in two parts vocab.json and merges.txt. The tokenizer encodes and decodes texts.
#include "language/tokenizer.h"

#include "input.h"
#include "language/text_stream.h"

namespace {

using namespace compeer;

void use(const std::filesystem::path& folder, std::string_view text) {
  const auto tokenizer = language::Tokenizer::load(folder);
  for (const std::string_view one : {text.substr(0, 300), std::string_view("caf\xC3\xA9 12  <|im_end|>\xFF")}) {
    const auto ids = tokenizer.encode(one, true);
    for (const int32_t id : ids) fuzz::expect(id >= 0 && id < tokenizer.size());
    tokenizer.decode(tokenizer.encode(one), true);
    tokenizer.decode(ids);
    const std::string valid = language::valid_utf8(one);
    const language::ByteSpan middle{valid.size() / 3, valid.size() * 2 / 3};
    tokenizer.encode(valid, {&middle, 1});
  }
  // Streamed decoding with stop strings, whatever the tokens.
  language::StopStrings stops(tokenizer, {"\xC3\xA9", "a "});
  for (int32_t id = 0; id < 40; ++id) {
    stops.push(id);
    fuzz::expect(language::valid_utf8(tokenizer.decode({&id, 1})) == tokenizer.decode({&id, 1}));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::Folder whole, tables;
  const auto text = fuzz::text_of(data, size);
  const auto parts = fuzz::parts_of(text);
  const auto& folder = parts.size() == 1 ? whole : tables;
  if (parts.size() == 1) {
    folder.write("tokenizer.json", text);
    folder.write("tokenizer_config.json", R"({"eos_token":"<|im_end|>"})");
  } else {
    folder.write("vocab.json", parts[0]);
    folder.write("merges.txt", parts[1]);
    folder.write("tokenizer_config.json", R"({"tokenizer_class":"Qwen2Tokenizer","eos_token":"<|im_end|>"})");
  }
  fuzz::expect_errors_only({Exit::data}, [&] { use(folder.path(), text); });
  return 0;
}
