// Input: a GGUF file, or a zip archive that contains one. An import is refused, or its output is complete.
#include "gguf/import.h"

#include "input.h"
#include "record/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compeer;
  static const fuzz::Folder folder;
  const fuzz::FileInMemory bytes(fuzz::text_of(data, size));
  const auto model = folder.path() / "model";
  fuzz::expect_errors_only({Exit::data}, [&] {
    const auto imported = gguf::import_model({.source = bytes.path(), .folder = model, .bfloat16 = size % 2 == 1});
    fuzz::expect(imported.tokens > 0 || !imported.model_type.empty());
    if (!imported.model_type.empty()) {
      const auto weights = record::Safetensors::open_sharded(model);
      int64_t elements = 0;
      for (const auto& name : weights.names()) {
        const auto& tensor = weights.tensor(name);
        elements += static_cast<int64_t>(tensor.bytes.size() / record::element_size(tensor.dtype));
      }
      fuzz::expect(elements == imported.parameters);
    }
  });
  std::error_code none;
  std::filesystem::remove_all(model, none);
  fuzz::expect(std::filesystem::is_empty(folder.path()));
  return 0;
}
