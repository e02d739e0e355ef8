#pragma once
#include <functional>
#include <string>
#include <vector>

namespace compeer::similarity {

// Cosine similarity of texts that are represented by vectors (embeddings), for similarity plugins.

using Texts = std::vector<std::string>;
/// One vector for each text, [text][dimension], all of the same length.
using Vectors = std::vector<std::vector<float>>;

/// Returns the cosine similarity of each text of `a` and each of `b`, in [-1, 1], indexed [index in a][index in b].
/// `embed`: returns the vectors of texts; called once, with each different text once. Equal texts have exactly 1; a
/// zero vector has 0 to all.
std::vector<std::vector<double>> cosines(const Texts& a, const Texts& b,
                                         const std::function<Vectors(const Texts&)>& embed);

}  // namespace compeer::similarity
