#include "kernels/arithmetic.h"

#include <ATen/core/grad_mode.h>

#include <array>

#include "engines.h"
#include "kernels/instruction_set.h"

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

// Two prompts, then their continuations in alternation, more than fit into one batch; then separate sequences.
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
        // The window of the last rows begins in the second page, so the first page may be freed (-1).
        const int32_t first = window > 0 && from == 18 ? -1 : 3;
        results.push_back(engine->attention_cached(part(q, from, to), part(k, from, to), part(v, from, to),
                                                   {{0, to - from, from, -1, {first, 1}}}, heads, cache, 0));
      }
    }
    for (size_t i = 0; i < 3; ++i) expect_close(results[i], results[i + 3], 2e-5, "part " + std::to_string(i));
  }
}

// Segments of one and of several rows, short and long, in any order.
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

// The head is processed in tiles of rows and of columns: 300 rows in runs of odd lengths.
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

// Architectural differences between model families.
struct Variation {
  const char* name;
  bool biases, head_norms;
  int64_t window, rank = 0;
  bool pairs = false;
  Format format() const { return pairs ? Format::bfloat16_pairs : Format::float32; }
};

// The attention and the MLP half of a decoder block.
class Blocks : public Engines, public testing::WithParamInterface<Variation> {
 protected:
  static constexpr int64_t panel_width = 48;
  at::Tensor matrix(int64_t out, int64_t in) { return draw({out, in}, 0.2); }
  Weight weight(size_t i) const { return {weights[i], {GetParam().format(), false, nullptr}}; }
  Cache cache(int64_t pages) const {
    const auto type = GetParam().pairs ? at::kBFloat16 : at::kFloat;
    return {{at::full({pages, 2, 12, 16}, NAN, type)}, {at::full({pages, 2, 16, 12}, NAN, type)}};
  }
  const at::Tensor x = draw({row_count, panel_width}), norm = draw({panel_width}), other_norm = draw({panel_width});
  const std::vector<at::Tensor> biases =
      GetParam().biases ? std::vector<at::Tensor>{draw({48}), draw({24}), draw({24})} : std::vector<at::Tensor>(3);
  const std::vector<at::Tensor> head_norms =
      GetParam().head_norms ? std::vector<at::Tensor>{draw({12}), draw({12})} : std::vector<at::Tensor>(2);
  const std::vector<at::Tensor> weights{matrix(48, 48),  matrix(24, 48),  matrix(24, 48), matrix(48, 48),
                                        matrix(300, 48), matrix(300, 48), matrix(48, 300)};
  AttentionBlock attention{norm,
                           biases[0],
                           biases[1],
                           biases[2],
                           head_norms[0],
                           head_norms[1],
                           weight(0),
                           weight(1),
                           weight(2),
                           weight(3),
                           {4, 2, 12, GetParam().window, GetParam().pairs},
                           1e-6};
  std::vector<at::Tensor> changes;  // A and B of each matrix
  FeedForwardBlock feed_forward{other_norm, weight(4), weight(5), weight(6), 1e-6};
  void SetUp() override {
    Engines::SetUp();
    if (GetParam().rank == 0) return;
    for (Weight* weight : {&attention.q, &attention.k, &attention.v, &attention.o, &feed_forward.gate, &feed_forward.up,
                           &feed_forward.down}) {
      const auto a = draw({GetParam().rank, weight->value().size(1)}, 0.2),
                 b = draw({weight->value().size(0), GetParam().rank}, 0.2);
      weight->add_low_rank(a, b, 0.5);
      changes.insert(changes.end(), {a, b});
    }
  }

  const at::Tensor angle = at::rand({row_count, 6}), cosine = angle.cos(), sine = angle.sin();

  at::Tensor run(const Arithmetic& arithmetic, const at::Tensor& rows, const AttentionContext& place) {
    return arithmetic.feed_forward_block(arithmetic.attention_block(rows, attention, place), feed_forward, place);
  }
  std::vector<at::Tensor> parameters() const {
    std::vector<at::Tensor> all{x, norm, other_norm};
    all.insert(all.end(), weights.begin(), weights.end());
    all.insert(all.end(), changes.begin(), changes.end());
    for (const auto* some : {&biases, &head_norms}) {
      for (const at::Tensor& p : *some) {
        if (p.defined()) all.push_back(p);
      }
    }
    return all;
  }
};

TEST_P(Blocks, OfBothEnginesAgree) {
  const double tolerance = GetParam().pairs ? 0.02 : 1e-4;
  expect_agreement([&](const Arithmetic& a) { return run(a, x, {cosine, sine, tree}); }, parameters(), tolerance);
}

TEST_P(Blocks, HaveTheSameBitsWithACacheOneTokenAtATime) {
  const at::NoGradGuard no_grad;
  const std::vector<Segment> alone{{0, row_count, 0, -1, {}}};
  const auto whole = run(exact(), x, {cosine, sine, alone});
  Cache cache = this->cache(3);
  for (int64_t i = 0; i < row_count; ++i) {
    const auto row = [&](const at::Tensor& t) { return t.slice(0, i, i + 1).contiguous(); };
    const std::vector<Segment> token{{0, 1, i, -1, {2, 0, 1}}};
    const auto c = row(cosine), s = row(sine);
    EXPECT_TRUE(at::equal(run(exact(), row(x), {c, s, token, &cache, 0}), row(whole))) << "token " << i;
  }
}

// Segments of 20 rows, of 1 row and of the rest. Their last rows are 19, 20 and the last one.
TEST_P(Blocks, GiveTheLastRowsOfSegmentsWithTheBitsTheyHaveAmongAll) {
  const at::NoGradGuard no_grad;
  const std::vector<Segment> segments{
      {0, 20, 0, -1, {2, 0}}, {20, 1, 0, -1, {1}}, {21, row_count - 21, 0, -1, {3, 4, 5}}};
  for (const Arithmetic* engine : {&exact(), &libtorch()}) {
    Cache cache = this->cache(6), other = cache;
    other.keys[0] = cache.keys[0].clone(), other.values[0] = cache.values[0].clone();
    const auto all = engine->attention_block(x, attention, {cosine, sine, segments, &cache, 0});
    const auto last = engine->attention_block(x, attention, {cosine, sine, segments, &other, 0, true});
    EXPECT_TRUE(at::equal(last, all.index_select(0, at::tensor({int64_t{19}, int64_t{20}, row_count - 1}))));
    EXPECT_TRUE(at::equal(at::nan_to_num(cache.keys[0]), at::nan_to_num(other.keys[0])));
  }
}

TEST_P(Blocks, HaveTheSameGradientsForAnyThreadsAndInstructionSet) {
  const auto gradients = [&] {
    const auto y = run(exact(), x, {cosine, sine, tree});
    return grad({y.square().sum()}, parameters(), {});
  };
  const auto once = gradients();
  for (const auto& set : instruction_sets()) {
    ASSERT_TRUE(use_instruction_set(set));
    for (const int threads : {1, 2}) {
      omp_set_num_threads(threads);
      const auto again = gradients();
      for (size_t i = 0; i < once.size(); ++i)
        EXPECT_TRUE(at::equal(once[i], again[i])) << set << ", " << threads << " threads, gradient " << i;
    }
  }
  omp_set_num_threads(1);
  use_instruction_set("");
}

TEST_P(Blocks, AddGradientsToThoseThatAreThere) {
  const auto loss = [&] { return run(exact(), x, {cosine, sine, tree}).square().sum(); };
  const auto expected = grad({loss()}, parameters(), {});
  std::vector<at::Tensor> there;
  for (at::Tensor p : parameters()) {
    p.mutable_grad() = at::full(p.sizes(), 1.0f);
    there.push_back(p.grad());
  }
  loss().backward();
  const auto all = parameters();
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].grad().data_ptr(), there[i].data_ptr()) << "parameter " << i << " got another gradient tensor";
    const double scale = std::max(1.0, expected[i].abs().max().item<double>());
    expect_close((there[i] - 1.0) / scale, expected[i] / scale, 1e-5, "parameter " + std::to_string(i));
  }
}

// Odd numbers of rows: bfloat16 pairs of one sequence may not reach into the next.
TEST_P(Blocks, HaveTheSameGradientsForSequencesTogetherAndOneByOne) {
  const std::vector<int64_t> lengths{5, 21, 11};
  std::vector<Segment> segments;
  for (int64_t start = 0; const int64_t length : lengths) {
    segments.push_back({start, length, 0, -1, {}});
    start += length;
  }
  auto trained = parameters();
  trained.erase(trained.begin());  // x
  const auto gradients = [&](auto backward) {
    for (at::Tensor& p : trained) p.mutable_grad() = at::Tensor();
    backward();
    std::vector<at::Tensor> all;
    for (const at::Tensor& p : trained) all.push_back(p.grad().clone());
    return all;
  };
  const auto together = gradients([&] { run(exact(), x, {cosine, sine, segments}).square().sum().backward(); });
  const auto one_by_one = gradients([&] {
    for (const Segment& segment : segments) {
      const auto rows = [&](const at::Tensor& t) { return t.narrow(0, segment.start, segment.length).contiguous(); };
      const auto c = rows(cosine), s = rows(sine);
      run(exact(), rows(x), {c, s, {{0, segment.length, 0, -1, {}}}}).square().sum().backward();
    }
  });
  for (size_t i = 0; i < trained.size(); ++i) EXPECT_TRUE(at::equal(together[i], one_by_one[i])) << "gradient " << i;
}

TEST_P(Blocks, AskNoGradientOfFrozenWeights) {
  for (at::Tensor w : weights) w.set_requires_grad(false);
  const auto y = run(exact(), x, {cosine, sine, tree});
  const auto dx = grad({y.sum()}, {x}, {});
  EXPECT_GT(dx[0].abs().max().item<double>(), 0);
  EXPECT_FALSE(weights[0].grad().defined());
}

// Gradients of x and of the low-rank matrices with frozen weights, stored in either type.
TEST_P(Blocks, HaveTheSameGradientsAroundFrozenWeights) {
  const auto with = [&](auto make) {
    auto frozen = [&](at::Tensor w) { return make(w.detach().to(at::kBFloat16)); };
    auto change = [&](Weight weight, size_t i) {
      if (!changes.empty()) weight.add_low_rank(changes[2 * i], changes[2 * i + 1], 0.5);
      return weight;
    };
    AttentionBlock a{norm.detach(),
                     attention.q_bias,
                     attention.k_bias,
                     attention.v_bias,
                     attention.q_norm,
                     attention.k_norm,
                     change(frozen(weights[0]), 0),
                     change(frozen(weights[1]), 1),
                     change(frozen(weights[2]), 2),
                     change(frozen(weights[3]), 3),
                     attention.heads,
                     1e-6};
    FeedForwardBlock f{other_norm.detach(), change(frozen(weights[4]), 4), change(frozen(weights[5]), 5),
                       change(frozen(weights[6]), 6), 1e-6};
    const AttentionContext place{cosine, sine, tree};
    const auto y = exact().feed_forward_block(exact().attention_block(x, a, place), f, place);
    std::vector<at::Tensor> asked{x};
    asked.insert(asked.end(), changes.begin(), changes.end());
    return grad({y.square().sum()}, asked, {});
  };
  const auto trained = with([](const at::Tensor& w) {
    return Weight(w.to(at::kFloat), {GetParam().format(), false, nullptr});
  });
  for (const Format format :
       GetParam().pairs ? std::vector{Format::bfloat16_pairs} : std::vector{Format::float32, Format::bfloat16}) {
    const auto read = with([&](const at::Tensor& w) { return Weight(w, {format, true, nullptr}); });
    for (size_t i = 0; i < trained.size(); ++i) EXPECT_TRUE(at::equal(read[i], trained[i])) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Variations, Blocks,
                         testing::Values(Variation{"biases", true, false, 0}, Variation{"plain", false, false, 0},
                                         Variation{"head_norms", false, true, 0}, Variation{"window", false, false, 7},
                                         Variation{"low_rank", true, false, 0, 3}, Variation{"all", true, true, 17, 20},
                                         Variation{"pairs", true, true, 0, 0, true},
                                         Variation{"pairs_and_all", true, true, 17, 20, true}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace compeer::kernels
