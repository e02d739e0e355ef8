#pragma once
#include <functional>
#include <string>
#include <vector>

namespace compeer::similarity {

/// Texts, and one vector for each; all vectors have the same length.
using Texts = std::vector<std::string>;
using Vectors = std::vector<std::vector<float>>;

/// Returns the cosines [a][b] of the texts' vectors. Calls `embed` once, with each distinct text once. Equal texts have
/// exactly 1; a zero vector has 0 to all.
std::vector<std::vector<double>> cosines(const Texts& a, const Texts& b,
                                         const std::function<Vectors(const Texts&)>& embed);

}  // namespace compeer::similarity
