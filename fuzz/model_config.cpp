// Input: the config.json of a model, and in a second part its other JSON files (generation, pictures, pooling). Read as
// those of a text model, of Qwen2.5-VL and of a sentence encoder.
#include <algorithm>

#include "base/json.h"
#include "decoder/config.h"
#include "input.h"
#include "language/pictures.h"
#include "qwen2_5_vl/config.h"
#include "sentence_encoder/config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compeer;
  static const fuzz::Folder folder;
  const auto parts = fuzz::parts_of(fuzz::text_of(data, size));
  for (const char* name : {"config.json", "generation_config.json", "modules.json", "sentence_bert_config.json",
                           "1_Pooling/config.json", "preprocessor_config.json"})
    folder.write(name, name == std::string_view("config.json") ? parts[0] : parts.back());
  fuzz::expect_errors_only({Exit::data}, [&] {
    const auto read = decoder::read_config_file(folder.path());
    for (const decoder::SlidingWindow slides : {decoder::SlidingWindow::if_asked, decoder::SlidingWindow::always}) {
      const auto config =
          decoder::read_config({.model_type = "any", .architecture = "Any", .slides = slides}, read, "config.json");
      fuzz::expect(config.num_hidden_layers > 0 && config.head_dim > 0);
      fuzz::expect(config.windows.empty() || config.window(config.num_hidden_layers - 1) >= 0);
      decoder::frequencies(config.rope, std::min<int64_t>(config.head_dim, 64));
      decoder::write_config(config, 1).dump();
    }
  });
  fuzz::expect_errors_only({Exit::data}, [&] {
    const auto read = decoder::read_config_file(folder.path());
    qwen2_5_vl::write_config(qwen2_5_vl::read_config(read, "config.json"), read).dump();
  });
  fuzz::expect_errors_only({Exit::data}, [&] { decoder::read_generation_config(folder.path()); });
  fuzz::expect_errors_only({Exit::data}, [&] { sentence_encoder::read_config(folder.path() / "config.json"); });
  fuzz::expect_errors_only({Exit::data}, [&] { sentence_encoder::read_recipe(folder.path()); });
  fuzz::expect_errors_only({Exit::data}, [&] { language::PictureSettings::load(folder.path()); });
  return 0;
}
