#pragma once
#include <nlohmann/json_fwd.hpp>

namespace compeer::bench {

/// `compeer bench judging`, in a worker process: time to score a group of completions with language models as judges.
/// It compares the reward plugin unifireward (all questions in one conversation) with the plugins prm and orm (one
/// conversation per question), with greedy decoding. `options`: {"model": the judge's folder, "prm", "orm": other
/// folders for these plugins, or "", "by": the plugins' setting `score_by`, "group": completions per prompt, "prompts",
/// "repeats"}; 0 is the default. Prints measurements, one JSON object per line. Returns 0.
int bench_judging(const nlohmann::json& options);

}  // namespace compeer::bench
