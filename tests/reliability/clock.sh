#!/usr/bin/env bash
# The system clock jumps.
battery=clock
promise="When the clock of the day jumps, by seconds or years, nothing but recorded times changes: same bits, no hang, no false alarm of the watchdog."
how="A preloaded library moves the clock (clock_gettime, gettimeofday, time) from a reading drawn by the seed on, forward and backward. A rank that hangs must be ended by the watchdog in time all the same."
source "$(dirname "${BASH_SOURCE[0]}")/scene.sh"
all=10
TIMES=${TIMES:-$all}

make_run whole
start whole 1
wait_for_end
((code == 0)) || { fault "the undisturbed run ends with $code" whole/log.txt; finish; }
jumps=(-315360000 315360000 -3600 3600 -1 86400)
for ((i = 0; i < TIMES; ++i)); do
  jump=${jumps[i % 6]}
  make_run run
  below 60
  start run 1 "FAULT_CLOCK=$jump" "FAULT_CLOCK_COUNT=$REPLY"
  wait_for_end
  title="a jump by $jump s"
  ((code == 0)) || fault "$title: ends with $code" run/log.txt
  [[ $(fingerprint run) == "$(fingerprint whole)" ]] || fault "$title: other bits"
  "$compeer" log verify run >verify.txt || fault "$title: log verify is not content" verify.txt
done
tried "$TIMES" "$all" jumps
figure "jumps in runs that ended with the same bits" "$((TIMES - ${#wrong[@]}))"

# The watchdog, while the clock jumps by an hour after some reading.
if [[ -x $BUILD/bin/worker_stub ]]; then
  hung=0
  for jump in -3600 3600; do
    mkdir -p stub
    spec='{"ranks":1,"watchdog":{"seconds":1.0}}'
    printf '{"format":1,"sha256":"%s","spec":%s,"stub":{"fault":"loop","plugin":"rewards/length 1.0.0"}}' \
      "$(printf %s "$spec" | sha256sum | cut -d' ' -f1)" "$spec" >stub/spec.json
    worker=$BUILD/bin/worker_stub start stub 1 "FAULT_CLOCK=$jump" FAULT_CLOCK_COUNT=4
    wait_for_end
    if ((code == 86)); then hung=$((hung + 1)); else fault "a hang with a jump by $jump s ends with $code" stub/log.txt; fi
    rm -rf stub
  done
  figure "hangs that the watchdog ended under such a clock" "$hung"
fi
finish
