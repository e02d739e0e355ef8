// Input: the answer table of a scripted chat model, which then gets a question.
#include "scripted/table.h"

#include "input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compeer;
  const fuzz::FileInMemory file(fuzz::text_of(data, size));
  fuzz::may_refuse({Exit::data}, [&] {
    const scripted::AnswerTable table(file.path());
    ChatRequest request;
    request.turns = {{"user", "How are you?"}};
    for (request.draw = 0; request.draw < 3; ++request.draw) table.answer(request);
  });
  return 0;
}
