// Formats numbers, and chooses decimals and ticks.
#include "report/drawing/numbers.h"

#include <fmt/format.h>

#include <algorithm>

namespace compeer::report {

namespace {

constexpr const char* minus = "\u2212";
constexpr const char* dash = "\u2013";

bool is_negative_zero(const std::string& digits) { return digits.find_first_of("123456789") == std::string::npos; }

std::string superscript(int exponent) {
  static const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(exponent))) text += digits[digit - '0'];
  return text;
}

/// Returns "2×10⁻⁴", with at most `decimals` decimals and no trailing zeros.
std::string scientific(double value, int decimals) {
  int exponent = static_cast<int>(std::floor(std::log10(std::abs(value))));
  std::string mantissa = fmt::format("{:.{}f}", std::abs(value) / std::pow(10.0, exponent), decimals);
  if (mantissa.starts_with("10")) mantissa = fmt::format("{:.{}f}", 1.0, decimals), ++exponent;
  if (mantissa.find('.') != std::string::npos) {
    mantissa.erase(mantissa.find_last_not_of('0') + 1);
    if (mantissa.back() == '.') mantissa.pop_back();
  }
  return (value < 0 ? minus : "") + mantissa + "×10" + superscript(exponent);
}

/// Groups thousands by thin spaces if there are at least five digits.
std::string grouped(std::string digits) {
  const size_t end = std::min(digits.find('.'), digits.size());
  if (end < 5) return digits;
  for (size_t i = end; i > 3; i -= 3) digits.insert(i - 3, "\u2009");
  return digits;
}

}  // namespace

std::string fixed(double value, int decimals) {
  if (std::isnan(value)) return dash;
  if (std::isinf(value)) return value > 0 ? "∞" : std::string(minus) + "∞";
  if (value != 0 && std::abs(value) >= 1e7) return scientific(value, 2);
  const std::string digits = fmt::format("{:.{}f}", std::abs(value), decimals);
  return (value < 0 && !is_negative_zero(digits) ? minus : "") + grouped(digits);
}

std::string fixed_signed(double value, int decimals) {
  return (value >= 0 && std::isfinite(value) ? "+" : "") + fixed(value, decimals);
}

std::string compact(double value) {
  if (!std::isfinite(value) || value == 0) return fixed(value, 0);
  const double size = std::abs(value);
  if (size < 1e-3 || size >= 1e6) return scientific(value, 2);
  const int before = static_cast<int>(std::floor(std::log10(size)));
  std::string digits = fmt::format("{:.{}f}", size, std::clamp(2 - before, 0, 6));
  if (digits.find('.') != std::string::npos) {
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.') digits.pop_back();
  }
  return (value < 0 ? minus : "") + grouped(digits);
}

std::string duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return dash;
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

int decimals_for(double half_width) {
  if (!std::isfinite(half_width) || half_width <= 0) return 3;
  // The tolerance prevents 0.0999999 (meaning 0.1) from getting an extra digit.
  const int exponent = static_cast<int>(std::floor(std::log10(half_width) + 1e-9));
  const double leading = half_width / std::pow(10.0, exponent);
  return std::clamp((leading < 3.55 ? 1 : 0) - exponent, 0, 6);
}

int column_decimals(const std::vector<Interval>& estimates) {
  const auto median = [](std::vector<double>& values) {
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
  };
  std::vector<double> halves, sizes;
  for (const auto& e : estimates) {
    // Ignores intervals of zero width: values that are equal except for rounding.
    if (e.has_interval() && e.high - e.low > 1e-9 * std::abs(e.mean)) halves.push_back((e.high - e.low) / 2);
    if (e.known() && e.mean != 0) sizes.push_back(std::abs(e.mean));
  }
  const int place = sizes.empty() ? 0 : static_cast<int>(std::floor(std::log10(median(sizes))));
  if (!halves.empty()) return std::min(decimals_for(median(halves)), std::clamp(4 - place, 0, 6));
  return sizes.empty() ? 0 : std::clamp(2 - place, 0, 6);
}

std::string with_interval(const Interval& e, int decimals) {
  if (!e.has_interval()) return fixed(e.mean, decimals);
  return fmt::format("{} [{}, {}]", fixed(e.mean, decimals), fixed(e.low, decimals), fixed(e.high, decimals));
}

std::vector<double> ticks(double low, double high, int most) {
  if (!(high > low) || !std::isfinite(high - low) || most < 1)
    return std::isfinite(low) ? std::vector{low} : std::vector<double>{};
  const double rough = (high - low) / most;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1 - 1e-9)) {
      step = factor * power;
      break;
    }
  }
  std::vector<double> at;
  const double slack = step * 1e-6;
  for (double i = std::ceil((low - slack) / step); i * step <= high + slack; ++i) at.push_back(i == 0 ? 0 : i * step);
  return at;
}

std::vector<std::string> tick_labels(const std::vector<double>& at) {
  double largest = 0, step = 0;
  for (const double value : at) largest = std::max(largest, std::abs(value));
  if (at.size() > 1) step = at[1] - at[0];
  const double finest = step > 0 ? step : largest;
  std::vector<std::string> labels;
  const bool powers = largest > 0 && (largest >= 1e6 || largest < 1e-3);
  const int decimals = finest > 0 ? std::clamp(static_cast<int>(-std::floor(std::log10(finest) + 1e-9)), 0, 9) : 0;
  for (const double value : at)
    labels.push_back(!powers ? fixed(value, decimals) : value == 0 ? "0" : scientific(value, 2));
  return labels;
}

Range axis_range(double low, double high) {
  if (!std::isfinite(low) || !std::isfinite(high)) return {0, 1};
  if (high - low <= 1e-12 * std::max(std::abs(low), std::abs(high))) {
    const double air = low == 0 ? 1 : 0.1 * std::abs(low);
    return {low - air, high + air};
  }
  const double air = 0.05 * (high - low);
  Range range{low - air, high + air};
  if (low >= 0 && (low <= 0.4 * high || range.low < 0)) range.low = 0;
  if (high <= 0 && (high >= 0.4 * low || range.high > 0)) range.high = 0;
  return range;
}

}  // namespace compeer::report
