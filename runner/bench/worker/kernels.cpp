#include "bench/worker/kernels.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>
#include <fmt/format.h>

#include <chrono>
#include <iostream>
#include <thread>

#include "bench/measurement.h"
#include "kernels/gemm.h"
#include "kernels/limits.h"

namespace compeer::bench {

namespace {

using namespace kernels;
using nlohmann::json;

struct Shape {
  int64_t m, k, n;
};

// Rows m of x [m, k] times a weight [n, k]: decoding and prefill of the benchmarks' models, and squares.
constexpr Shape kForward[] = {{1, 896, 4864},   {2, 896, 4864},    {4, 896, 4864},    {8, 896, 4864},
                              {16, 896, 4864},  {64, 896, 4864},   {512, 896, 4864},  {512, 4864, 896},
                              {16, 256, 1024},  {64, 64, 256},     {256, 128, 512},   {16, 128, 128},
                              {16, 128, 384},   {16, 384, 1536},   {16, 1536, 384},   {2048, 128, 384},
                              {2048, 384, 128}, {2048, 384, 1536}, {2048, 1536, 384}, {1024, 1024, 1024}};
constexpr Shape kNarrow[] = {{1, 896, 4864}, {2, 896, 4864}, {4, 896, 4864}, {8, 896, 4864}, {16, 896, 4864}};
constexpr Shape kBackward[] = {
    {512, 896, 4864}, {512, 4864, 896}, {2048, 896, 896}, {2048, 128, 384}, {2048, 384, 1536}};

const float* data(const at::Tensor& t) { return t.const_data_ptr<float>(); }
View rows_of(const at::Tensor& t) { return {data(t), t.size(1), 1}; }
View transposed(const at::Tensor& t) { return {data(t), 1, t.size(1)}; }

class Bench {
 public:
  explicit Bench(int64_t repeats) : repeats_(repeats), peak_(multiply_add_rate() * 1e-9) {
    print(measurement("kernels", "multiply-adds from registers" + suffix(), "GFLOP/s", spread({peak_})));
    print(measurement("kernels", "reading from memory" + suffix(), "GB/s", spread({read_rate() * 1e-9})));
  }

  void forward(Shape s, Format format) {
    const auto x = at::randn({s.m, s.k}), w = at::randn({s.n, s.k});
    auto y = at::empty({s.m, s.n});
    Packed packed;
    packed.pack(transposed(w), s.k, s.n, format);
    compare(
        format == Format::bfloat16         ? "forward, bf16 weights"
        : format == Format::bfloat16_pairs ? "forward, bf16 products"
                                           : "forward",
        s, [&] { at::linear(x, w); },
        [&] { multiply(rows_of(x), s.m, packed, nullptr, y.mutable_data_ptr<float>(), s.n, Write::replace); });
  }

  void backward(Shape s) {
    const auto x = at::randn({s.m, s.k}), w = at::randn({s.n, s.k}), dy = at::randn({s.m, s.n});
    auto dx = at::empty({s.m, s.k}), dw = at::empty({s.n, s.k});
    compare(
        "to x", s, [&] { at::mm(dy, w); },
        [&] { multiply(rows_of(dy), s.m, rows_of(w), s.n, s.k, dx.mutable_data_ptr<float>(), s.k, Write::replace); });
    compare(
        "to w", s, [&] { at::mm(dy.t(), x); },
        [&] {
          multiply(transposed(dy), s.n, rows_of(x), s.m, s.k, dw.mutable_data_ptr<float>(), s.k, Write::replace);
        });
    Packed packed;
    packed.pack(transposed(w), s.k, s.n, Format::bfloat16_pairs);
    compare(
        "to x, bf16 products", s, [&] { at::mm(dy, w); },
        [&] { multiply_by_transpose(rows_of(dy), s.m, packed, dx.mutable_data_ptr<float>(), s.k, Write::replace); });
    const RowPairs pairs({s.m});
    compare(
        "to w, bf16 products", s, [&] { at::mm(dy.t(), x); },
        [&] { add_pairs(transposed(dy), s.n, rows_of(x), pairs, s.k, dw.mutable_data_ptr<float>(), s.k); });
  }

 private:
  static std::string suffix() { return fmt::format(", {} thread{}", threads(), threads() > 1 ? "s" : ""); }
  static void print(const json& line) { std::cout << line.dump() << std::endl; }

  template <class Theirs, class Ours>
  void compare(const std::string& what, Shape s, Theirs theirs, Ours ours) {
    const double work = 2.0 * static_cast<double>(s.m) * static_cast<double>(s.k) * static_cast<double>(s.n);
    const auto calls = std::max<int64_t>(1, static_cast<int64_t>(1e9 / work));
    const auto rate = [&](auto& product) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));  // the other library's threads stop waiting for work
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
    const double best = spread(our_rates).max, other = spread(their_rates).max;
    json line = measurement("kernels", fmt::format("{} {} x {} x {}", what, s.m, s.k, s.n) + suffix(), "GFLOP/s",
                            spread(our_rates));
    line.update({{"product", what}, {"m", s.m}, {"k", s.k}, {"n", s.n}, {"threads", threads()}});
    line.update({{"libtorch", other}, {"ratio", best / other}, {"of_peak", best / peak_}});
    line["note"] =
        fmt::format("{:.0f} % of the peak, {:.2f} x libtorch's {:.1f}", 100 * best / peak_, best / other, other);
    print(line);
  }

  int64_t repeats_;
  double peak_;
};

}  // namespace

int bench_kernels(const json& options) {
  const at::NoGradGuard no_gradients;
  const auto given = options.at("repeats").get<int64_t>();
  Bench bench(given > 0 ? given : 7);
  for (const Shape shape : kForward) bench.forward(shape, Format::float32);
  for (const Shape shape : kNarrow) bench.forward(shape, Format::bfloat16);
  for (const Shape shape : kForward) bench.forward(shape, Format::bfloat16_pairs);
  for (const Shape shape : kBackward) bench.backward(shape);
  return 0;
}

}  // namespace compeer::bench
