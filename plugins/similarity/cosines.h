#pragma once
#include <functional>
#include <string>
#include <vector>

namespace compeer::similarity {

using Texts = std::vector<std::string>;
using Vectors = std::vector<std::vector<float>>;

/// [a][b]: the cosine of each text of `a` with each of `b` by what `embed` makes of them. Each text is embedded
/// once, all in one call. Equal texts give exactly 1, a vector of zeros gives 0 to all.
std::vector<std::vector<double>> cosines(const Texts& a, const Texts& b,
                                         const std::function<Vectors(const Texts&)>& embed);

}  // namespace compeer::similarity
