#pragma once
#include "statistics/confusion.h"

// Agreement of raters who label the same items, corrected for agreement by chance: 1 is perfect agreement, 0 is chance.
// For human annotations and for judge models.

namespace compeer::statistics {

/// Weight of a disagreement between different labels i and j in Cohen's kappa: `none`: 1 (all labels are equally
/// different); `linear`: |i - j|; `quadratic`: (i - j)^2.
enum class DisagreementWeights { none, linear, quadratic };

/// Returns Cohen's kappa of two raters. `confusion`: labels of the first rater (rows) by labels of the second
/// (columns). NaN if there is no item, or if both raters always give the same label, so that agreement by chance is
/// perfect.
double cohen(const ContingencyTable& confusion, DisagreementWeights weights = DisagreementWeights::none);

// The functions below take `ratings` [items, categories]: how many raters gave the item each label. Items may have
// different numbers of raters; items with fewer than two ratings are ignored. The result is NaN if no item is left, or
// if agreement by chance is perfect. `items`: indices of the rows of `ratings` to use, repeats allowed, for the
// bootstrap; without it, all rows are used.

/// Returns the mean over items of the fraction of rater pairs that agree.
double observed_agreement(const ContingencyTable& ratings);
double observed_agreement(const ContingencyTable& ratings, std::span<const size_t> items);

/// Returns Fleiss' kappa: agreement by chance is the probability that two ratings drawn from all ratings are equal.
double fleiss(const ContingencyTable& ratings);
double fleiss(const ContingencyTable& ratings, std::span<const size_t> items);

/// Returns Randolph's free-marginal kappa: agreement by chance is 1 / categories.
double randolph(const ContingencyTable& ratings);

/// Distance of two categories in Krippendorff's alpha; categories must be in ascending order. `nominal`: 1; `ordinal`:
/// number of ratings between them, counting half of those at both ends; `interval`: difference of their values.
enum class Scale { nominal, ordinal, interval };

/// Returns Krippendorff's alpha: 1 - (disagreement within items) / (disagreement of all ratings together). `values`:
/// value of each category, for Scale::interval; empty: 0, 1, 2, ...
double krippendorff(const ContingencyTable& ratings, Scale scale, std::span<const double> values = {});
double krippendorff(const ContingencyTable& ratings, std::span<const size_t> items, Scale scale,
                    std::span<const double> values = {});

}  // namespace compeer::statistics
