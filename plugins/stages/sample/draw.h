#pragma once
#include <cstddef>
#include <functional>
#include <vector>

namespace compeer::stages {

/// Gaussian sparse sampling, Eq. (1): probabilities of rounds i = 1 ... N_r,
///
///   p(i) ~ exp(-(i - mu)^2 / (2 sigma^2)),   mu = N_r / 2,  sigma = N_r / 4
std::vector<double> round_probabilities(size_t rounds);

/// N_s different rounds (counted from 0), in order: one after the other is drawn with p(i) among those that are left.
/// All of them if there are no more than N_s. `uniform(k)`: the number in [0, 1) for draw k.
std::vector<size_t> draw_rounds(size_t rounds, size_t wanted, const std::function<double(size_t)>& uniform);

}  // namespace compeer::stages
