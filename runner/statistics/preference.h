#pragma once
#include <cstddef>
#include <vector>

#include "statistics/bootstrap.h"

/// Which of two is better, asked many times.
namespace compeer::statistics {

/// A share and its 95 % interval by Wilson's score, which holds for small numbers and shares of 0 and 1 too. NaN of
/// none.
BootstrapInterval wilson(size_t successes, size_t n);

/// How likely so uneven a split of wins and losses is, or a more uneven one, if both are as likely: the exact two-sided
/// binomial test. Ties are left out by the caller. 1 of none.
double sign_test(size_t wins, size_t losses);

/// Strengths s by which i beats j with probability 1 / (1 + exp(s[j] - s[i])) (Bradley and Terry, 1952), likeliest
/// given wins[i][j], how often i beat j; a tie is half a win for both. They add up to 0. All NaN where there is no
/// likeliest: if some of them never lost to the rest, or were never compared with them.
std::vector<double> bradley_terry(const std::vector<std::vector<double>>& wins);

}  // namespace compeer::statistics
