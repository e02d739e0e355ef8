#pragma once
#include <cstddef>
#include <functional>
#include <vector>

// Gaussian sparse sampling (Eq. 1 of the paper), for the stage sample of a data run. It makes training records from a
// few rounds of each dialogue; a round is a reply of the supporter to the seeker.

namespace compeer::stages {

/// Returns the probability of each of the `rounds` = N_r rounds i = 1 ... N_r of a dialogue (element i - 1), Eq. (1):
///
///   p(i) ~ exp(-(i - mu)^2 / (2 sigma^2)),   mu = N_r / 2,  sigma = N_r / 4
std::vector<double> round_probabilities(size_t rounds);

/// Draws `wanted` of the `rounds` rounds of a dialogue without replacement, with the probabilities p(i) renormalized
/// after each draw. Returns their indices from 0, ascending; all rounds if there are at most `wanted`. `uniform(k)`:
/// returns the random number in [0, 1) for draw k = 0, 1, ...
std::vector<size_t> draw_rounds(size_t rounds, size_t wanted, const std::function<double(size_t)>& uniform);

}  // namespace compeer::stages
