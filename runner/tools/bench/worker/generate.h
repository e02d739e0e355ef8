#pragma once
#include <nlohmann/json.hpp>

namespace compeer::bench {

/// compeer bench generate: prefill and decoding of a model of one of the benchmarks' sizes, its share of what memory
/// gives, and its peak resident memory. Prints measurements, one JSON object a line.
/// Decoding is what `new` tokens take beyond one token, which is prefill: so other libraries' scripts measure it.
int bench_generate(const nlohmann::json& options);

}  // namespace compeer::bench
