#pragma once
#include "statistics/confusion.h"

namespace compeer::statistics {

/// How much a disagreement counts: any as much as any other, or by the distance of the labels' numbers, or its square.
enum class DisagreementWeights { none, linear, quadratic };

/// Cohen's kappa of two raters, from the table of the first's labels (rows) against the second's. NaN if there is
/// no item, or if both always say the same one label: then chance alone agrees everywhere.
double cohen(const ContingencyTable& confusion, DisagreementWeights weights = DisagreementWeights::none);

/// The others take counts [items, categories]: how many raters gave the item each label. Items may have different
/// numbers of raters; those with fewer than two are left out. NaN as above.

/// Mean over items of the share of pairs of raters that agree about it.
double observed_agreement(const ContingencyTable& ratings);
double observed_agreement(const ContingencyTable& ratings,
                          std::span<const size_t> items);  ///< of some of them, for bootstrap

/// Fleiss' kappa: chance is that two judgements drawn from all of them agree.
double fleiss(const ContingencyTable& ratings);
double fleiss(const ContingencyTable& ratings, std::span<const size_t> items);

/// Randolph's kappa: chance is 1 / categories, whatever labels are common ("free-marginal").
double randolph(const ContingencyTable& ratings);

/// How far apart two categories are, which stand in their order: any two as far as any other; as many judgements as lie
/// between them; the difference of their values.
enum class Scale { nominal, ordinal, interval };

/// Krippendorff's alpha: 1 - the disagreement within items over that of all judgements put together. `values`: of the
/// categories on an interval scale; empty: their numbers.
double krippendorff(const ContingencyTable& ratings, Scale scale, std::span<const double> values = {});
double krippendorff(const ContingencyTable& ratings, std::span<const size_t> items, Scale scale,
                    std::span<const double> values = {});

}  // namespace compeer::statistics
