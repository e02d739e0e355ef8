#include "kernels/arithmetic.h"

#include <ATen/core/grad_mode.h>

#include <array>

#include "engines.h"

namespace compeer::kernels {
namespace {

TEST_F(Engines, AgreeOnLayersOfRows) {
  const auto x = draw({9, 70}), w = draw({50, 70}), bias = draw({50}), norm = draw({70}), up = draw({9, 70});
  Weight weight(w);
  const auto tokens = at::tensor({3, 49, 3}, at::kLong);
  const auto angle = at::rand({9, 5});
  expect_agreement([&](const Arithmetic& a) { return a.linear(x, weight, bias); }, {x, w, bias}, 1e-4);
  expect_agreement([&](const Arithmetic& a) { return a.embedding(tokens, w); }, {w});
  expect_agreement([&](const Arithmetic& a) { return a.rms_norm(x, norm, 1e-6); }, {x, norm});
  expect_agreement([&](const Arithmetic& a) { return a.swiglu(x, up); }, {x, up});
  expect_agreement([&](const Arithmetic& a) { return a.rotate(x, angle.cos(), angle.sin(), 7); }, {x});
  const at::NoGradGuard no_grad;
  expect_close(exact().logits(x, weight), libtorch().logits(x, weight), 1e-4, "logits");
}

TEST_F(Engines, AgreeOnAttention) {
  for (const auto& [dim, window] : {std::pair<int64_t, int64_t>{8, 0}, {10, 0}, {16, 5}, {64, 0}, {64, 17}, {80, 0}}) {
    const Heads heads{6, 2, dim, window};
    const auto q = draw({row_count, 6 * dim}), k = draw({row_count, 2 * dim}), v = draw({row_count, 2 * dim});
    expect_agreement([&](const Arithmetic& a) { return a.attention(q, k, v, tree, heads); }, {q, k, v});
    expect_agreement(
        [&](const Arithmetic& a) {
          return a.attention_spans(q, k, v, {{0, 1}, {1, 20}, {20, row_count}}, heads);
        },
        {q, k, v});
  }
}

// Two prompts, then their continuations in turn, which are more than are taken at once; then sequences of their own.
TEST_F(Engines, AgreeOnAttentionOfManyTreesOfWhichNoneSeesAnother) {
  std::vector<Segment> segments;
  int64_t rows = 0;
  for (const auto& [length, position, parent] : {std::array<int64_t, 3>{300, 0, -1},
                                                 {200, 0, -1},
                                                 {250, 300, 0},
                                                 {250, 200, 1},
                                                 {60, 550, 2},
                                                 {400, 0, -1},
                                                 {500, 0, -1},
                                                 {600, 0, -1},
                                                 {10, 600, 7}}) {
    segments.push_back({rows, length, position, parent, {}});
    rows += length;
  }
  const auto q = draw({rows, 16}), k = draw({rows, 8}), v = draw({rows, 8});
  for (const int64_t window : {0, 100}) {
    const Heads heads{2, 1, 8, window};
    expect_agreement([&](const Arithmetic& a) { return a.attention(q, k, v, segments, heads); }, {q, k, v});
    const at::NoGradGuard no_grad;
    auto lost = v.clone();
    lost.narrow(0, 0, 1060).fill_(NAN);
    const auto seen = libtorch().attention(q, k, lost, segments, heads);
    EXPECT_EQ(at::isfinite(seen).sum().item<int64_t>(), (rows - 1060) * 16);
  }
}

TEST_F(Engines, AgreeOnAttentionWithACache) {
  const at::NoGradGuard no_grad;
  const auto q = at::randn({23, 72}), k = at::randn({23, 24}), v = at::randn({23, 24});
  for (const int64_t window : {0, 3}) {
    const Heads heads{6, 2, 12, window};
    std::vector<at::Tensor> results;
    for (const Arithmetic* engine : {&exact(), &libtorch()}) {
      Cache cache{{at::full({4, 2, 12, 16}, NAN)}, {at::full({4, 2, 16, 12}, NAN)}};
      const auto part = [&](const at::Tensor& t, int64_t from, int64_t to) {
        return t.slice(0, from, to).contiguous();
      };
      for (const auto& [from, to] : {std::pair<int64_t, int64_t>{0, 17}, {17, 18}, {18, 23}}) {
        // The window of the last rows begins in the second page: the first one may be gone.
        const int32_t first = window > 0 && from == 18 ? -1 : 3;
        results.push_back(engine->attention_cached(part(q, from, to), part(k, from, to), part(v, from, to),
                                                   {{0, to - from, from, -1, {first, 1}}}, heads, cache, 0));
      }
    }
    for (size_t i = 0; i < 3; ++i) expect_close(results[i], results[i + 3], 2e-5, "part " + std::to_string(i));
  }
}

// Long and short ones, of one row and of several, in any order.
TEST_F(Engines, AgreeOnAttentionOfManySegmentsWithACache) {
  const at::NoGradGuard no_grad;
  std::vector<Segment> segments;
  int64_t rows = 0;
  int32_t pages = 0;
  for (const auto& [length, position] :
       {std::pair<int64_t, int64_t>{1, 20}, {5, 3}, {1, 40'000}, {5, 0}, {1, 39'990}, {2, 31}, {1, 15}}) {
    Segment segment{rows, length, position, -1, {}};
    for (int64_t at = 0; at < position + length; at += Cache::page) segment.pages.push_back(pages++);
    rows += length;
    segments.push_back(segment);
  }
  const auto q = at::randn({rows, 16}), k = at::randn({rows, 8}), v = at::randn({rows, 8});
  const auto keys = at::randn({pages, 1, 8, 16}), values = at::randn({pages, 1, 16, 8});
  for (const int64_t window : {0, 100}) {
    std::vector<at::Tensor> results;
    for (const Arithmetic* engine : {&exact(), &libtorch()}) {
      Cache cache{{keys.clone()}, {values.clone()}};
      results.push_back(engine->attention_cached(q, k, v, segments, {2, 1, 8, window}, cache, 0));
    }
    expect_close(results[1], results[0], 2e-5, "window " + std::to_string(window));
  }
}

TEST_F(Engines, AgreeOnLogProbabilities) {
  const auto hidden = draw({300, 24}), matrix = draw({4500, 24});
  const auto target = at::randint(4500, {300}, at::kLong);
  Weight head(matrix);
  expect_agreement([&](const Arithmetic& a) { return a.token_logprobs(hidden, head, target, 0.7).log_prob; },
                   {hidden, matrix}, 1e-4);
  expect_agreement([&](const Arithmetic& a) { return a.token_logprobs(hidden, head, target, 0.7).entropy; },
                   {hidden, matrix}, 1e-3);
}

// The head is cut into tiles of rows and of columns: 300 rows in runs of odd lengths.
TEST_F(Engines, GiveLogProbabilitiesInPairsWhoseGradientsAddUpFromRuns) {
  const auto hidden = draw({300, 24}), matrix = draw({4500, 24});
  const auto target = at::randint(4500, {300}, at::kLong);
  Weight head(matrix, {Format::bfloat16_pairs, false, nullptr});
  expect_close(exact().token_logprobs(hidden, head, target, 0.7).log_prob,
               libtorch().token_logprobs(hidden, head, target, 0.7).log_prob, 0.02, "log-probabilities");
  const std::vector<int64_t> runs{7, 255, 38};
  exact().token_logprobs(hidden, head, target, 0.7, runs).log_prob.sum().backward();
  const auto together = matrix.grad().clone(), dhidden = hidden.grad().clone();
  const auto ours = dhidden,
             theirs = grad({libtorch().token_logprobs(hidden, head, target, 0.7).log_prob.sum()}, {hidden})[0];
  expect_close(ours, theirs, 0.05, "gradient");
  matrix.mutable_grad() = at::Tensor();
  for (int64_t start = 0; const int64_t run : runs) {
    const auto some = hidden.detach().slice(0, start, start + run);
    exact().token_logprobs(some, head, target.slice(0, start, start + run), 0.7).log_prob.sum().backward();
    start += run;
  }
  EXPECT_TRUE(at::equal(matrix.grad(), together));
}

}  // namespace
}  // namespace compeer::kernels
