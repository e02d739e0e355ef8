// Benchmark of matrix products.
#include "tools/bench/worker/kernels.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>
#include <fmt/format.h>

#include <chrono>
#include <iostream>
#include <thread>

#include "kernels/gemm.h"
#include "kernels/limits.h"
#include "tools/bench/measurement.h"

namespace compeer::bench {

namespace {

using namespace kernels;
using nlohmann::json;

struct Shape {
  int64_t m, k, n;
};

// Products of x [m, k] and a weight [n, k]: decoding and prefill of the benchmarks' models, and square matrices.
constexpr Shape forward_shapes[] = {{1, 896, 4864},   {2, 896, 4864},    {4, 896, 4864},    {8, 896, 4864},
                                    {16, 896, 4864},  {64, 896, 4864},   {512, 896, 4864},  {512, 4864, 896},
                                    {16, 256, 1024},  {64, 64, 256},     {256, 128, 512},   {16, 128, 128},
                                    {16, 128, 384},   {16, 384, 1536},   {16, 1536, 384},   {2048, 128, 384},
                                    {2048, 384, 128}, {2048, 384, 1536}, {2048, 1536, 384}, {1024, 1024, 1024}};
constexpr Shape narrow[] = {{1, 896, 4864}, {2, 896, 4864}, {4, 896, 4864}, {8, 896, 4864}, {16, 896, 4864}};
constexpr Shape backward_shapes[] = {
    {512, 896, 4864}, {512, 4864, 896}, {2048, 896, 896}, {2048, 128, 384}, {2048, 384, 1536}};

const float* data(const at::Tensor& t) { return t.const_data_ptr<float>(); }
View rows_of(const at::Tensor& t) { return {data(t), t.size(1), 1}; }
View transposed(const at::Tensor& t) { return {data(t), 1, t.size(1)}; }

class Bench {
 public:
  explicit Bench(int64_t repeats)
      : repeats_(repeats), peak_(multiply_add_rate()), pair_peak_(pair_rate()), memory_(read_rate()) {
    const auto limit = [](const std::string& what, const char* unit, double rate) {
      print(measurement("kernels", what + suffix(), unit, spread({rate * 1e-9})));
    };
    limit("multiply-adds from registers", "GFLOP/s", peak_);
    limit("bf16 products from registers", "GFLOP/s", pair_peak_);
    limit("reading from memory", "GB/s", memory_);
  }

  void forward(Shape s, Format format) {
    const auto x = at::randn({s.m, s.k}), w = at::randn({s.n, s.k});
    auto y = at::empty({s.m, s.n});
    Packed packed;
    packed.pack(transposed(w), s.k, s.n, format);
    const auto theirs = format == Format::bfloat16_pairs ? at::kBFloat16 : at::kFloat;
    const auto their_x = x.to(theirs), their_w = w.to(theirs);
    compare(
        format == Format::bfloat16         ? "forward, bf16 weights"
        : format == Format::bfloat16_pairs ? "forward, bf16 products"
                                           : "forward",
        s, format, [&] { at::linear(their_x, their_w); },
        [&] { multiply(rows_of(x), s.m, packed, nullptr, y.mutable_data_ptr<float>(), s.n, Write::replace); });
  }

  void backward(Shape s) {
    const auto x = at::randn({s.m, s.k}), w = at::randn({s.n, s.k}), dy = at::randn({s.m, s.n});
    auto dx = at::empty({s.m, s.k}), dw = at::empty({s.n, s.k});
    compare(
        "to x", s, Format::float32, [&] { at::mm(dy, w); },
        [&] {
          multiply(rows_of(dy), s.m, {rows_of(w), s.n, s.k}, nullptr, dx.mutable_data_ptr<float>(), s.k,
                   Write::replace);
        });
    compare(
        "to w", s, Format::float32, [&] { at::mm(dy.t(), x); },
        [&] {
          multiply(transposed(dy), s.n, {rows_of(x), s.m, s.k}, nullptr, dw.mutable_data_ptr<float>(), s.k,
                   Write::replace);
        });
    Packed packed;
    packed.pack(transposed(w), s.k, s.n, Format::bfloat16_pairs);
    const auto their_x = x.to(at::kBFloat16), their_w = w.to(at::kBFloat16), their_dy = dy.to(at::kBFloat16);
    compare(
        "to x, bf16 products", s, Format::bfloat16_pairs, [&] { at::mm(their_dy, their_w); },
        [&] { multiply_by_transpose(rows_of(dy), s.m, packed, dx.mutable_data_ptr<float>(), s.k, Write::replace); });
    const RowPairs pairs({s.m});
    compare(
        "to w, bf16 products", s, Format::bfloat16_pairs, [&] { at::mm(their_dy.t(), their_x); },
        [&] { add_pairs(transposed(dy), s.n, rows_of(x), pairs, s.k, dw.mutable_data_ptr<float>(), s.k); });
  }

 private:
  static std::string suffix() { return fmt::format(", {} thread{}", threads(), threads() > 1 ? "s" : ""); }
  static void print(const json& line) { std::cout << line.dump() << std::endl; }

  // Returns the machine's limit in GFLOP/s: by registers, and by reading the k x n matrix from memory once.
  double limit(Shape s, Format format) const {
    const auto [rows, bytes] = panel_block(format);
    const double each = static_cast<double>(bytes) / static_cast<double>(rows * Packed::width);
    const double read = memory_ / each * 2 * static_cast<double>(s.m);
    return 1e-9 * std::min(format == Format::bfloat16_pairs ? pair_peak_ : peak_, read);
  }

  template <class Theirs, class Ours>
  void compare(const std::string& what, Shape s, Format format, Theirs theirs, Ours ours) {
    const double work = 2.0 * static_cast<double>(s.m) * static_cast<double>(s.k) * static_cast<double>(s.n);
    const auto calls = std::max<int64_t>(1, static_cast<int64_t>(1e9 / work));
    const auto rate = [&](auto& product) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));  // until the other library's threads stop spinning
      product();
      return static_cast<double>(calls) * work * 1e-9 / timed(1, [&] {
                                                          for (int64_t i = 0; i < calls; ++i) product();
                                                        }).front();
    };
    std::vector<double> their_rates, our_rates;
    for (int64_t i = 0; i < repeats_; ++i) {
      their_rates.push_back(rate(theirs));
      our_rates.push_back(rate(ours));
    }
    const double best = spread(our_rates).max, other = spread(their_rates).max, most = limit(s, format);
    json line = measurement("kernels", fmt::format("{} {} x {} x {}", what, s.m, s.k, s.n) + suffix(), "GFLOP/s",
                            spread(our_rates));
    line.update({{"product", what}, {"m", s.m}, {"k", s.k}, {"n", s.n}, {"threads", threads()}});
    line.update({{"libtorch", other}, {"ratio", best / other}, {"limit", most}, {"of_limit", best / most}});
    line["note"] =
        fmt::format("{:.0f} % of the limit, {:.2f} x libtorch's {:.1f}", 100 * best / most, best / other, other);
    print(line);
  }

  int64_t repeats_;
  double peak_, pair_peak_, memory_;
};

}  // namespace

int bench_kernels(const json& options) {
  const at::NoGradGuard no_gradients;
  const auto given = options.at("repeats").get<int64_t>();
  Bench bench(given > 0 ? given : 7);
  for (const Shape shape : forward_shapes) bench.forward(shape, Format::float32);
  for (const Shape shape : narrow) bench.forward(shape, Format::bfloat16);
  for (const Shape shape : forward_shapes) bench.forward(shape, Format::bfloat16_pairs);
  for (const Shape shape : backward_shapes) bench.backward(shape);
  return 0;
}

}  // namespace compeer::bench
