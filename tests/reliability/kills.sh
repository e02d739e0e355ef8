#!/usr/bin/env bash
# kill -9 at chosen calls and at random moments, of one rank or all, also of the resumed run.
battery=kills
promise="After kill -9 at any moment at most the step in flight is lost, and the run ends with the bits of an undisturbed one."
how="Every call that changes a file is listed, in an undisturbed run and in one that resumes. A seed draws from these lists: a worker is killed before or after the call, or in the middle of a write, as the system may cut it. A third of the kills come at any moment and meet all ranks or one. Then readers open everything, the run is resumed (in a quarter of the cases over another number of ranks; killed once more in half of them), and its end is compared."
source "$(dirname "${BASH_SOURCE[0]}")/scene.sh"
all=200
TIMES=${TIMES:-$all}
RANKS=${RANKS:-1 2 4}

declare -A lists duration
for ranks in $RANKS; do
  make_run "whole-$ranks" --set "ranks=$ranks"
  begun=${EPOCHREALTIME/./}
  start "whole-$ranks" "$ranks" "FAULT_TRACE=$work/calls-$ranks"
  wait_for_end
  ((code == 0)) || { fault "the undisturbed run over $ranks ends with $code" "whole-$ranks/log.txt"; finish; }
  duration[$ranks]=$((${EPOCHREALTIME/./} - begun))
  # The same for a run resumed from the middle.
  cp -a "whole-$ranks" "again-$ranks"
  rm -rf "again-$ranks/checkpoints/"{step-000004,last}
  start "again-$ranks" "$ranks" "FAULT_TRACE=$work/again-calls-$ranks" -- --resume
  wait_for_end
  ((code == 0)) || fault "the undisturbed resume over $ranks ends with $code" "again-$ranks/log.txt"
done
reference=whole-${RANKS%% *}
for ranks in $RANKS; do
  [[ $(fingerprint "whole-$ranks") == "$(fingerprint "$reference")" ]] || fault "$ranks ranks give other bits"
  [[ $(fingerprint "again-$ranks") == "$(fingerprint "$reference")" ]] || fault "a resume over $ranks gives other bits"
done

ways=(kill after torn)
# After a random time: the whole process group, or one worker.
kill_at_any_moment() { # RANKS
  below "${duration[$1]}"
  local moment=$REPLY pids
  title="at $((moment / 1000)) ms"
  sleep "$((moment / 1000000)).$(printf %06d $((moment % 1000000)))"
  below 2
  if ((REPLY == 0)); then
    title+=", all"
    kill -9 -- "-$group" 2>/dev/null
  else
    title+=", one rank"
    mapfile -t pids < <(pgrep -g "$group" -x compeer-worker)
    ((${#pids[@]} > 0)) || return 0
    below "${#pids[@]}"
    kill -9 "${pids[REPLY]}" 2>/dev/null
  fi
}

killed=0 survived=0 chains=0
expect_kill() { # NAME
  no_orphans "$1: $title"
  case $code in
    137) killed=$((killed + 1)) ;;
    0) survived=$((survived + 1)) ;; # the run had ended before, or the resumed run did not reach that call
    *) fault "$1: $title: ends with $code" "$1/log.txt" ;;
  esac
  readable "$1" "$reference" "$1: $title"
}

order=($RANKS)
while ((killed < TIMES && ${#wrong[@]} < 20)); do
  ranks=${order[chains % ${#order[@]}]} name=run-$chains
  chains=$((chains + 1))
  mkdir "$name" && cp "whole-$ranks/spec.json" "$name"
  if ((chains % 3 == 0)); then
    start "$name" "$ranks"
    kill_at_any_moment "$ranks"
  else
    below 3; draw "calls-$ranks" "${ways[REPLY]}"
    start "$name" "$ranks" "${place[@]}"
  fi
  wait_for_end
  expect_kill "$name"
  below 4
  ((REPLY == 0)) && ranks=${order[(chains + 1) % ${#order[@]}]} # the next run has another number of ranks
  below 2
  if ((REPLY == 0 && killed < TIMES)); then
    below 3; draw "again-calls-$ranks" "${ways[REPLY]}"
    start "$name" "$ranks" "${place[@]}" -- --resume
    wait_for_end
    expect_kill "$name"
  fi
  before=${#wrong[@]}
  goes_on "$name" "$ranks" "$reference" "$name: $title"
  ((${#wrong[@]} > before)) && [[ ${KEEP:-} ]] || rm -rf "$name"
done

tried "$killed" "$all" kills
figure "runs they were spread over, with ranks $RANKS" "$chains"
figure "calls to choose from (one rank, undisturbed and resumed)" "$(wc -l <"calls-${RANKS%% *}") and $(wc -l <"again-calls-${RANKS%% *}")"
figure "aimed kills that met nothing, for the run had ended or went another way" "$survived"
figure "rows lost beyond the step in flight, other bits at the end, files that did not open, processes left" "${#wrong[@]}"
finish
