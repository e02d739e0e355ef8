#pragma once
#include <cstddef>
#include <functional>
#include <vector>

namespace compeer::stages {

/// Returns the probabilities of rounds i = 1 ... N_r under Gaussian sparse sampling, Eq. (1):
///
///   p(i) ~ exp(-(i - mu)^2 / (2 sigma^2)),   mu = N_r / 2,  sigma = N_r / 4
std::vector<double> round_probabilities(size_t rounds);

/// Draws N_s = `wanted` different rounds of N_r = `rounds` without replacement, with probabilities p(i) renormalized
/// after each draw. Returns their indices from 0, ascending; all rounds if there are at most `wanted`. `uniform(k)`
/// returns the number in [0, 1) for draw k.
std::vector<size_t> draw_rounds(size_t rounds, size_t wanted, const std::function<double(size_t)>& uniform);

}  // namespace compeer::stages
