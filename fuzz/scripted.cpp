// Input: the answer table of a scripted chat model, which then gets a question.
#include "scripted/table.h"

#include "input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compeer;
  const fuzz::FileInMemory file(fuzz::text_of(data, size));
  fuzz::expect_errors_only({Exit::data}, [&] {
    const scripted::AnswerTable table(file.path());
    ChatRequest request;
    request.turns = {{"user", "How are you?"}};
    for (request.sample_index = 0; request.sample_index < 3; ++request.sample_index) table.answer(request);
  });
  return 0;
}
