#!/usr/bin/env bash
# Every fault of a rank in every phase: runs the suite's own tests of these to collect figures.
battery=ranks
promise="A rank that fails, in whatever way, ends the job on all ranks with the documented exit code, and one message names rank, host, phase, plugin and cause."
how="The real worker around a task that misbehaves on command (tests/worker): throw, exit, _exit, segmentation fault, full stack, abort, an exception in a thread, kill, stop, endless loop, early return, endless wait; alone, over 2 and over 4 ranks, with the watchdog at 1 s. Processes that are left behind are looked for."
source "$(dirname "${BASH_SOURCE[0]}")/scene.sh"
test=$BUILD/bin/test_worker_faults
[[ -x $test ]] || skip "tests are not built: $test"
"$test" --gtest_color=no >faults.txt 2>&1 || true
passed=$(grep -c '^\[       OK' faults.txt) failed=$(grep -c '^\[  FAILED  \] .*(.* ms)' faults.txt)
((failed == 0 && passed > 0)) || fault "$failed of the faults end otherwise than they should" faults.txt
tried "$((passed + failed))" "$((passed + failed))" "kinds of fault, by numbers of ranks"
figure "ended as documented" "$passed"
figure "that did not" "$failed"
finish
