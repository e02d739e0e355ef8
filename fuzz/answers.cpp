// Input: a chat model's answer (a simulator's sections, a score, numbered lines), also read as a prompt template.
#include "evaluating/sage/answers.h"
#include "empathy/prompt.h"
#include "empathy/reading.h"
#include "evaluating/esc_eval/score.h"
#include "input.h"

namespace {

using namespace compeer;

void simulated(std::string_view text) {
  namespace sage = evaluating::sage;
  if (const auto planning = sage::read_planning(text)) {
    const auto again = sage::read_planning(sage::shown(*planning));
    fuzz::expect(again && again->change == planning->change);
  }
  if (const auto said = sage::parse_utterance(text)) fuzz::expect(!said->text.empty());
}

void scored(std::string_view text) {
  namespace esc_eval = evaluating::esc_eval;
  for (const auto parser : {esc_eval::Parser::strict, esc_eval::Parser::upstream}) {
    const auto score = esc_eval::read_score(text, parser);
    fuzz::expect(!score || (*score >= 0 && *score <= esc_eval::best_score));
  }
}

// A result has either a value or a reason why it has none.
template <class Read>
void expect_value_or_reason(const Read& read) {
  fuzz::expect(read.value.has_value() == read.refusal.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto text = fuzz::text_of(data, size);
  simulated(text);
  scored(text);
  for (const size_t count : {1, 3}) {
    const auto read = empathy::read_lines(text, count);
    fuzz::expect(read ? read.value->size() == count : !read.refusal.empty());
  }
  expect_value_or_reason(empathy::read(empathy::FilterVerdicts(), text));
  expect_value_or_reason(empathy::read_disc(text));
  expect_value_or_reason(empathy::read_completion(text));
  fuzz::expect_errors_only({Exit::data}, [&] {
    empathy::PromptTemplate(text, "prompt.txt", {"history", "id"}).fill({{"history", "{id}"}, {"id", "x"}});
  });
  return 0;
}
