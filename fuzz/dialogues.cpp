// Input: a recorded dialogue or judgement, as `compeer rescore` reads it: of SAGE, ESC-Eval or CER.
#include "base/json.h"
#include "datasets/cer/records.h"
#include "evaluating/esc_eval/summary.h"
#include "evaluating/esc_eval/transcript.h"
#include "evaluating/sage/summary.h"
#include "input.h"

namespace {

using namespace compeer;
using nlohmann::json;
constexpr statistics::Resampling few{.resamples = 3};

void read_sage(const json& record) {
  namespace sage = evaluating::sage;
  if (sage::missing_in(record).empty()) sage::prompt_keys(record);
  if (!sage::is_recorded(record)) return;
  const auto read = sage::recorded(record, {});
  Outcome outcome;
  if (!read.refusal.empty()) return sage::count_invalid(read.refusal, outcome);
  sage::count(record, read.trajectory, outcome);
  sage::summary(outcome.counts, few);
}

void read_esc_eval(const json& record) {
  namespace esc_eval = evaluating::esc_eval;
  esc_eval::language_of(record, esc_eval::card_of(record).text);
  if (esc_eval::is_recorded(record)) {
    const auto transcript = esc_eval::transcript_of(record);
    if (transcript.refusal.empty()) esc_eval::shown_turns(transcript);
  }
  if (!esc_eval::is_judged(record)) return;
  for (const auto parser : {esc_eval::Parser::strict, esc_eval::Parser::upstream}) {
    const auto read = esc_eval::recorded(record, parser);
    Outcome outcome;
    if (!read.refusal.empty()) continue;
    esc_eval::count(record, read.judged, outcome);
    esc_eval::summary(outcome.counts, few);
  }
}

void read_cer(const json& record) {
  try {
    compeer::cer::read(record);
  } catch (const std::runtime_error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  json record = parse_json(fuzz::text_of(data, size));
  if (!record.is_object()) return 0;  // the JSON Lines reader refuses it
  read_cer(record);
  record["id"] = "0";  // the reader also refuses a record without an id
  read_sage(record);
  read_esc_eval(record);
  return 0;
}
