// Chooses the instruction set. The AVX-512 instructions for bfloat16 are used only if they pass a self-test against
// their documented semantics.
#include "kernels/instruction_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hwy/targets.h>
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <map>

#include "base/error.h"

namespace compeer::kernels {

namespace {

struct Set {
  int64_t target;  // of Highway
  bool words;      // bfloat16 pairs are multiplied as words
};

bool has(int64_t target) {
  hwy::SetSupportedTargetsForTest(0);
  return (hwy::SupportedTargets() & target) != 0;
}

// Returns c + a0 b0 + a1 b1, in the order and with the roundings of the other instruction sets.
float pair_by_hand(uint32_t a, uint32_t b, float c) {
  const auto number = [](uint32_t bits) { return std::bit_cast<float>(bits); };
  const float later = std::fma(number(a & 0xffff0000), number(b & 0xffff0000), c);
  return std::fma(number(a << 16), number(b << 16), later);
}

__attribute__((target("avx512f,avx512bf16"))) void pairs_by_instruction(const uint32_t* a, const uint32_t* b,
                                                                        float* c) {
  const auto left = reinterpret_cast<__m512bh>(_mm512_loadu_si512(a));
  const auto right = reinterpret_cast<__m512bh>(_mm512_loadu_si512(b));
  _mm512_storeu_ps(c, _mm512_dpbf16_ps(_mm512_loadu_ps(c), left, right));
}

// True if vdpbf16ps gives exactly the documented results, also for denormals, infinities and NaN.
bool pairs_are_as_written() {
  if (!has(HWY_AVX3) || !__builtin_cpu_supports("avx512bf16")) return false;
  constexpr std::array<uint16_t, 24> halves{0x0000, 0x8000, 0x0001, 0x807f, 0x0080, 0x8080, 0x0100, 0x1f80,
                                            0x9f80, 0x2000, 0x20ff, 0x3380, 0xb400, 0x3f80, 0xbf80, 0x3f81,
                                            0x3fff, 0x4049, 0xdf80, 0x5f80, 0x7f7f, 0xff7f, 0x7f80, 0x7fc0};
  constexpr std::array<uint32_t, 12> sums{0x00000000, 0x80000000, 0x00000001, 0x807fffff, 0x00800000, 0x80800001,
                                          0x33800000, 0x3f800001, 0xbf7fffff, 0x7f7fffff, 0xff800000, 0x7fc00000};
  const FlushDenormals flush;
  uint32_t next = 1;
  const auto draw = [&](size_t below) { return (next = next * 1664525 + 1013904223) / 65536 % below; };
  const auto word = [&] { return uint32_t{halves[draw(halves.size())]} << 16 | halves[draw(halves.size())]; };
  for (int round = 0; round < 512; ++round) {
    uint32_t a[16], b[16];
    float c[16], expected[16];
    for (int i = 0; i < 16; ++i) {
      a[i] = word(), b[i] = word(), c[i] = std::bit_cast<float>(sums[draw(sums.size())]);
      expected[i] = pair_by_hand(a[i], b[i], c[i]);
    }
    pairs_by_instruction(a, b, c);
    for (int i = 0; i < 16; ++i) {
      const bool same = std::bit_cast<uint32_t>(c[i]) == std::bit_cast<uint32_t>(expected[i]);
      if (!same && !(std::isnan(c[i]) && std::isnan(expected[i]))) return false;
    }
  }
  return true;
}

uint16_t rounded_by_hand(uint32_t bits) {
  const bool none = (bits & 0x7fffffff) > 0x7f800000;
  return static_cast<uint16_t>((none ? bits | 0x400000 : bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

__attribute__((target("avx512f,avx512bf16"))) void rounded_by_instructions(const uint32_t* a, const uint32_t* b,
                                                                           uint16_t* both, uint16_t* first) {
  const __m512 x = _mm512_loadu_ps(a), y = _mm512_loadu_ps(b);
  _mm512_storeu_si512(both, reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(y, x)));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(first), reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(x)));
}

// The same for the rounding instructions vcvtne2ps2bf16 and vcvtneps2bf16, without denormals, for which kernels do not
// depend on them (rounds_up_to_normal).
bool roundings_are_as_written() {
  constexpr std::array<uint32_t, 16> ends{0x00000000, 0x80000000, 0x00800000, 0x80800000, 0x3f800000, 0x3f808000,
                                          0x3f818000, 0x3f807fff, 0x3f808001, 0x7f7f7fff, 0x7f7f8000, 0xff7fffff,
                                          0x7f800000, 0xff800000, 0x7fc00001, 0xffa12345};
  uint32_t next = 1;
  const auto word = [&] {
    next = next * 1664525 + 1013904223;
    const bool normal = (next & 0x7f800000) != 0;
    const uint32_t high = next >> 16;  // the low bits of this generator have a short period
    return high % 4 == 0 || !normal ? ends[high / 4 % ends.size()] : next;
  };
  for (int round = 0; round < 512; ++round) {
    uint32_t a[16], b[16];
    uint16_t both[32], first[16];
    for (int i = 0; i < 16; ++i) a[i] = word(), b[i] = word();
    rounded_by_instructions(a, b, both, first);
    for (int i = 0; i < 16; ++i) {
      if (first[i] != rounded_by_hand(a[i]) || both[i] != first[i] || both[16 + i] != rounded_by_hand(b[i]))
        return false;
    }
  }
  return true;
}

const std::map<std::string, Set>& known() {
  static const std::map<std::string, Set> all{{"avx512_bf16", {HWY_AVX3, true}},
                                              {"avx512", {HWY_AVX3, false}},
                                              {"avx2", {HWY_AVX2, false}},
                                              {"avx2_words", {HWY_AVX2, true}}};
  return all;
}

struct Choice {
  std::string name;
  bool words;
};
Choice& chosen() {
  static Choice choice = [] {
    const auto best = instruction_sets().front();
    return Choice{best, known().at(best).words};
  }();
  return choice;
}

}  // namespace

std::vector<std::string> instruction_sets() {
  std::vector<std::string> all;
  static const bool trusted = pairs_are_as_written() && roundings_are_as_written();
  if (trusted) all.emplace_back("avx512_bf16");
  if (has(HWY_AVX3)) all.emplace_back("avx512");
  all.emplace_back("avx2");
  all.emplace_back("avx2_words");
  return all;
}

const std::string& instruction_set() { return chosen().name; }
bool pairs_are_words() { return chosen().words; }

void use_instruction_set_from_environment() {
  const char* name = std::getenv("COMPEER_ISA");
  if (name && !use_instruction_set(name))
    throw Error("COMPEER_ISA",
                fmt::format("is '{}', but this machine supports {}", name, fmt::join(instruction_sets(), ", ")),
                "unset it to use the best one", Exit::usage);
}

bool use_instruction_set(const std::string& name) {
  const auto all = instruction_sets();
  const std::string& wanted = name.empty() ? all.front() : name;
  if (std::find(all.begin(), all.end(), wanted) == all.end()) return false;
  const auto [target, words] = known().at(wanted);
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(target);
  chosen() = {wanted, words};
  return true;
}

}  // namespace compeer::kernels
