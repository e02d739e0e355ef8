// Input: text read as a judgement, a persona and a completion. parse(print(x)) == x for each.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "empathy/format.h"
#include "empathy/judgement.h"

namespace {

void expect(bool holds) {
  if (!holds) __builtin_trap();
}

template <class Grammar>
void judgement(const Grammar& grammar, std::string_view text) {
  const auto read = grammar.parse(text);
  expect(read.value.has_value() == read.refusal.empty());
  if (read) expect(grammar.parse(grammar.print(*read.value)).value == read.value);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compeer::empathy;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  judgement(StepVerdicts(), text);
  judgement(Preferences(), text);
  judgement(FilterVerdicts(), text);
  const auto persona = parse_disc(text);
  expect(persona.value.has_value() == persona.refusal.empty());
  if (persona) expect(parse_disc(print(*persona.value)).value == persona.value);
  const auto completion = parse(text);
  expect(completion.value.has_value() == completion.refusal.empty());
  if (completion) expect(parse(print(*completion.value)).value == completion.value);
  steps_of(text);
  reply_of(text);
  return 0;
}
