#pragma once
#include <cstddef>
#include <vector>

#include "statistics/bootstrap.h"

/// Statistics of pairwise preferences: two systems (players) are compared repeatedly, and one wins or both tie.
namespace compeer::statistics {

/// Returns the fraction successes / n with its 95 % Wilson score interval, which is valid for small n and for fractions
/// of 0 and 1. NaN for n = 0.
BootstrapInterval wilson(size_t successes, size_t n);

/// Returns the p-value of the exact two-sided binomial test that wins and losses are equally likely; 1 if there are
/// none. Leave out ties.
double sign_test(size_t wins, size_t losses);

/// Returns the maximum-likelihood strengths s, one per player, of the Bradley-Terry model (1952): i beats j with
/// probability 1 / (1 + exp(s[j] - s[i])). wins[i][j]: how often i beat j; a tie is half a win for both. The sum is 0.
/// All NaN if there is no maximum: if some players never lost to the others, or were never compared with them.
std::vector<double> bradley_terry(const std::vector<std::vector<double>>& wins);

}  // namespace compeer::statistics
