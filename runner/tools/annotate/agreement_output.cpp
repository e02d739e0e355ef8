#include "tools/annotate/agreement_output.h"

#include <fmt/format.h>

#include <cmath>

namespace compeer::annotate {

namespace {

using nlohmann::ordered_json;
using statistics::BootstrapInterval;

ordered_json number(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr); }

void put(ordered_json& to, const std::string& name, const BootstrapInterval& estimate) {
  to[name] = number(estimate.value);
  to[name + "_interval"] = ordered_json::array({number(estimate.low), number(estimate.high)});
}

}  // namespace

ordered_json to_json(const Agreement& agreement) {
  ordered_json result{{"n", agreement.n}};
  put(result, "observed_agreement", agreement.observed);
  put(result, "cohen_kappa", agreement.cohen);
  put(result, "fleiss_kappa", agreement.fleiss);
  put(result, "krippendorff_alpha", agreement.alpha);
  if (!agreement.ordered) return result;
  put(result, "cohen_kappa_linear", agreement.linear);
  put(result, "cohen_kappa_quadratic", agreement.quadratic);
  put(result, "krippendorff_alpha_ordinal", agreement.ordinal);
  put(result, "krippendorff_alpha_interval", agreement.interval);
  return result;
}

std::string text(const BootstrapInterval& estimate) {
  if (std::isnan(estimate.value)) return "none";
  if (std::isnan(estimate.low)) return fmt::format("{:.3f}", estimate.value);
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", estimate.value, estimate.low, estimate.high);
}

std::string kappa_text(const Agreement& agreement) {
  return agreement.two ? text(agreement.cohen) + " (Cohen)" : text(agreement.fleiss) + " (Fleiss)";
}

std::vector<std::string> more_text(const Agreement& agreement) {
  std::vector<std::string> lines = {"alpha " + text(agreement.alpha) + " (Krippendorff, nominal)"};
  if (!agreement.ordered) return lines;
  if (agreement.two) {
    lines.push_back("kappa " + text(agreement.linear) + " (Cohen, linear weights)");
    lines.push_back("kappa " + text(agreement.quadratic) + " (Cohen, quadratic weights)");
  }
  lines.push_back("alpha " + text(agreement.ordinal) + " (Krippendorff, ordinal)");
  lines.push_back("alpha " + text(agreement.interval) + " (Krippendorff, interval)");
  return lines;
}

}  // namespace compeer::annotate
