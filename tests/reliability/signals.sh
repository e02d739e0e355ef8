#!/usr/bin/env bash
# Graceful stops: USR1, USR2 and TERM at any moment, to one process and over ranks; INT once and twice; GNU timeout.
battery=signals
promise="Asked to stop by USR1, USR2 or TERM a run finishes its step, writes a checkpoint and ends with 85; resumed it ends with the bits of an undisturbed one. INT, sent twice, ends it too."
how="Signals at moments drawn by the seed, over and over until the run has finished: to a single worker, and USR1 by way of mpirun over two ranks. Each signal also comes while the worker's libraries are still being loaded."
source "$(dirname "${BASH_SOURCE[0]}")/scene.sh"
all=20
TIMES=${TIMES:-$all}

long=(--set grpo.steps=60 --set checkpoint.every=20)
make_run whole "${long[@]}"
begun=${EPOCHREALTIME/./}
start whole 1
wait_for_end
((code == 0)) || { fault "the undisturbed run ends with $code" whole/log.txt; finish; }
duration=$((${EPOCHREALTIME/./} - begun))

# Counts the memory estimates in the log, one per process of this run: after it mpirun forwards signals.
said() { cat run/log.txt 2>/dev/null | grep -c "memory of a rank"; }
# True if mpirun was killed by the signal in its last moments, after the run had finished.
was_done() { ((code == 138)) && grep -q '"state":"finished"' run/status.json; }

stopped=0 finished=0
most=$((TIMES < all ? 2 : 20)) # maximum number of stops before the run may end
names=(USR1 USR2 TERM)
for ((i = 0; i < TIMES; ++i)); do
  ranks=$((i % 2 + 1)) signal=${names[i % 3]}
  ((ranks == 2)) && signal=USR1 # sent to mpirun, which forwards it; mpirun answers TERM with a kill
  make_run run --set "ranks=$ranks" "${long[@]}"
  for ((tries = 0; tries < most; ++tries)); do
    before=$(said)
    start run "$ranks" -- --resume
    below "$duration"
    until (($(said) > before)) || ! kill -0 "$group" 2>/dev/null; do sleep 0.01; done
    sleep "$((REPLY / 2000000)).$(printf %06d $((REPLY / 2 % 1000000)))"
    kill -"$signal" "$group" 2>/dev/null
    wait_for_end
    title="$signal over $ranks ranks"
    no_orphans "$title"
    ((code == 85)) && { stopped=$((stopped + 1)); readable run whole "$title"; continue; }
    break
  done
  if ((code == 0)) || was_done; then
    finished=$((finished + 1))
    [[ $(fingerprint run) == "$(fingerprint whole)" ]] || fault "$title: ends with other bits"
  elif ((code == 85)); then
    goes_on run "$ranks" whole "$title"
    finished=$((finished + 1))
  else
    fault "$title: ends with $code" run/log.txt
  fi
done
tried "$TIMES" "$all" "runs that are stopped over and over"
figure "polite stops, each with a checkpoint and exit code 85" "$stopped"
figure "runs that were stopped over and over, and ended with the same bits" "$finished"

early=0
for case in "1 10" "1 12" "1 15" "2 10"; do
  read -r ranks number <<<"$case"
  title="signal $number to $ranks ranks that are being loaded"
  make_run run --set "ranks=$ranks"
  start run "$ranks" "FAULT_SIGNAL=$number"
  wait_for_end
  if ((code == 85)); then early=$((early + 1)); else fault "$title: ends with $code" run/log.txt; fi
  no_orphans "$title"
done
figure "the same of signals that came before the worker's handlers stood" "$early of 4"

make_run impatient --set grpo.steps=100000
start impatient 1
until [[ -f impatient/run.h5 ]]; do sleep 0.01; done
kill -INT "$group"
sleep 1.1 # signals within a second count as one request
kill -INT "$group"
wait_for_end
((code == 130 || code == 85)) || fault "INT twice ends with $code" impatient/log.txt
no_orphans "INT twice"
readable impatient impatient "INT twice"
figure "INT, and INT again" "exit code $code"

for signal in TERM INT; do
  timeout --signal="$signal" 3 "$compeer" run "${TOY:-$SOURCE/tests/reliability/toy.toml}" --set grpo.steps=100000 \
    --set "name=limited-$signal" --results . >limited.txt 2>&1
  grep -Eq "stopped (with a checkpoint|before it had begun)" limited.txt || fault "timeout --signal=$signal" limited.txt
  no_orphans "timeout --signal=$signal"
done
figure "TERM and INT by GNU timeout, which sends each twice" "polite stops"
finish
