#pragma once
#include <nlohmann/json.hpp>

namespace compeer::bench {

/// `compeer bench generate`: prefill and decoding speed, the share of the memory bandwidth used, and peak resident
/// memory. Decoding is measured from the first token on, as in other libraries' scripts. Prints measurements, one JSON
/// object per line.
int bench_generate(const nlohmann::json& options);

}  // namespace compeer::bench
