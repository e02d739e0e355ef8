#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/annotate/judgements.h"

namespace compeer::annotate {

/// {"n", "observed_agreement", "cohen_kappa", "fleiss_kappa", "krippendorff_alpha", of ordered labels also
/// "cohen_kappa_linear", "cohen_kappa_quadratic", "krippendorff_alpha_ordinal", "krippendorff_alpha_interval", and each
/// "..._interval"}; null where there is none.
nlohmann::ordered_json to_json(const Agreement& agreement);

/// "0.750 [0.500, 1.000]", or "none".
std::string text(const statistics::BootstrapInterval& estimate);

/// "0.400 [0.100, 0.700] (Cohen)", where there are two annotators; else "(Fleiss)".
std::string kappa_text(const Agreement& agreement);

/// The others: "alpha 0.400 [0.100, 0.700] (Krippendorff, nominal)", a line each.
std::vector<std::string> more_text(const Agreement& agreement);

}  // namespace compeer::annotate
