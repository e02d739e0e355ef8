// Recovers the settings of the RoPE scaling rule `llama3` from its factors. With L = original_max_position_embeddings,
// low = low_freq_factor, high = high_freq_factor and F = factor, the factor of a pair of elements with wavelength w is
// 1 if w < L / high, F if w > L / low, and otherwise
//   1 / ((1 - s) / F + s),  s = (L / w - low) / (high - low).
// The rule depends only on F, L / low and L / high, so low can be fixed to 1.
#include "gguf/rope_factors.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace compeer::gguf {

namespace {

using Json = nlohmann::ordered_json;

constexpr double rounding = 4e-6;  // relative error of factors that were computed in float32

// F, L and high as above, with low = 1.
struct Llama3Rule {
  double factor, original, high;

  // The factor of a wavelength.
  double at(double wavelength) const {
    if (wavelength < original / high) return 1;
    if (wavelength > original) return factor;
    const double s = (original / wavelength - 1) / (high - 1);
    return 1 / ((1 - s) / factor + s);
  }
};

bool near(double a, double b) { return std::abs(a - b) <= rounding * b; }

bool fits(const Llama3Rule& rule, std::span<const float> factors, const std::vector<double>& wavelengths) {
  for (size_t i = 0; i < factors.size(); ++i) {
    if (!near(factors[i], rule.at(wavelengths[i]))) return false;
  }
  return true;
}

// Returns s for a factor between 1 and F.
double share_of(double value, double factor) { return (1 / value - 1 / factor) / (1 - 1 / factor); }

// Returns rules that may have produced the factors: for the usual `high`, L from one pair between the borders; from two
// such pairs, both L and `high`; without any such pair, powers of two for L.
std::vector<Llama3Rule> candidates(std::span<const float> factors, const std::vector<double>& wavelengths,
                                   double factor) {
  std::vector<size_t> between;
  for (size_t i = 0; i < factors.size(); ++i) {
    if (!near(factors[i], 1) && !near(factors[i], factor)) between.push_back(i);
  }
  constexpr double usual_high = 4;  // the value in all published models
  std::vector<Llama3Rule> rules;
  if (!between.empty()) {  // one pair would do, but rounding may distort the result
    for (const size_t i : {between.front(), between[between.size() / 2], between.back()}) {
      const double original = wavelengths[i] * (1 + share_of(factors[i], factor) * (usual_high - 1));
      rules.push_back({factor, std::round(original), usual_high});
    }
  }
  if (between.empty()) {
    for (int power = 1; power <= 30; ++power) rules.push_back({factor, std::ldexp(1.0, power), usual_high});
  }
  if (between.size() >= 2) {  // s = a / w - b with a = L / (high - 1), b = 1 / (high - 1)
    const size_t i = between.front(), j = between.back();
    const double si = share_of(factors[i], factor), sj = share_of(factors[j], factor);
    const double a = (si - sj) / (1 / wavelengths[i] - 1 / wavelengths[j]), b = a / wavelengths[i] - si;
    for (const double high : {std::round(1 + 1 / b), 1 + 1 / b}) rules.push_back({factor, std::round(a / b), high});
  }
  return rules;
}

bool sensible(const Llama3Rule& rule) {
  return rule.factor > 1 && rule.high > 1 && rule.original >= 1 && rule.original <= 0x1p30;
}

}  // namespace

std::optional<Json> rope_scaling_of(std::span<const float> factors, double theta) {
  if (factors.empty() ||
      !std::all_of(factors.begin(), factors.end(), [](float f) { return std::isfinite(f) && f > 0; }))
    return std::nullopt;
  const double largest = *std::max_element(factors.begin(), factors.end());
  if (std::all_of(factors.begin(), factors.end(), [](float f) { return f == 1; })) return Json();
  if (std::all_of(factors.begin(), factors.end(), [&](float f) { return f == factors[0]; }))
    return Json{{"rope_type", "linear"}, {"factor", largest}};
  std::vector<double> wavelengths;
  for (size_t i = 0; i < factors.size(); ++i)
    wavelengths.push_back(2 * std::numbers::pi *
                          std::pow(theta, static_cast<double>(i) / static_cast<double>(factors.size())));
  for (const Llama3Rule& rule : candidates(factors, wavelengths, largest)) {
    if (!sensible(rule) || !fits(rule, factors, wavelengths)) continue;
    return Json{{"rope_type", "llama3"},
                {"factor", rule.factor},
                {"low_freq_factor", 1.0},
                {"high_freq_factor", rule.high},
                {"original_max_position_embeddings", static_cast<int64_t>(rule.original)}};
  }
  return std::nullopt;
}

}  // namespace compeer::gguf
