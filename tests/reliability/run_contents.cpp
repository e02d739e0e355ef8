// Prints what a run recorded in one line: rows, steps of rollouts, and hashes of both.   usage: run_contents RUN [MOST]
#include <fmt/format.h>

#include "base/error.h"
#include "contents.h"

int main(int argc, char** argv) try {
  if (argc < 2) return 2;
  const auto found = compeer::test::contents_of(argv[1], argc > 2 ? std::stoull(argv[2]) : UINT64_MAX);
  fmt::print("{} {} {:.16} {:.16}\n", found.rows, found.steps, found.row_hash, found.rollout_hash);
} catch (const compeer::Error& error) {
  fmt::print(stderr, "run_contents: {}\n", error.what());
  return static_cast<int>(error.exit());
}
