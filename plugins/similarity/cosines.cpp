// Cosines of embedded texts.
#include "similarity/cosines.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace compeer::similarity {

namespace {

double product(const std::vector<float>& x, const std::vector<float>& y) {
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += static_cast<double>(x[i]) * static_cast<double>(y[i]);
  return sum;
}

}  // namespace

std::vector<std::vector<double>> cosines(const Texts& a, const Texts& b,
                                         const std::function<Vectors(const Texts&)>& embed) {
  Texts all;
  std::unordered_map<std::string, size_t> places;
  for (const Texts* texts : {&a, &b}) {
    for (const auto& text : *texts) {
      if (places.emplace(text, all.size()).second) all.push_back(text);
    }
  }
  const Vectors vectors = embed(all);
  std::vector<double> squares;
  for (const auto& vector : vectors) squares.push_back(product(vector, vector));
  std::vector<std::vector<double>> rows;
  for (const auto& x : a) {
    auto& row = rows.emplace_back();
    for (const auto& y : b) {
      const size_t i = places.at(x), j = places.at(y);
      // The root of a square is exact, so equal texts give exactly 1.
      const double length = std::sqrt(squares[i] * squares[j]);
      row.push_back(length == 0 ? 0.0 : std::clamp(product(vectors[i], vectors[j]) / length, -1.0, 1.0));
    }
  }
  return rows;
}

}  // namespace compeer::similarity
