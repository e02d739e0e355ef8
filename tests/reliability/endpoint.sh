#!/usr/bin/env bash
# A judge behind a slow and unreliable endpoint; runs that use it are killed by kill -9.
battery=endpoint
promise="A run whose judge is behind an endpoint has the same bits whatever the endpoint's answers take, and whatever fails on the way. After kill -9 only those requests are sent again whose answers were under way."
how="The endpoint takes up to 30 ms for an answer, and gives a third of the requests an error (429, 500) or half a body. Runs over 1 and 2 ranks are compared with one whose endpoint never fails. Then runs are killed at any moment, all ranks or one, and resumed; the endpoint counts requests that it has answered whole before."
source "$(dirname "${BASH_SOURCE[0]}")/scene.sh"
all=100
TIMES=${TIMES:-$all}
ranks_of=(1 2)
concurrent=4

serve() { # SHARE
  kill "${server:-}" 2>/dev/null
  rm -f address
  python3 "$SOURCE/tests/reliability/endpoint.py" address asked.txt "$1" &
  server=$!
  until [[ -s address ]]; do sleep 0.02; done
}
# Makes a run without stored answers: the toy, with two judgements per reply.
make_judged() { # NAME RANKS
  local chat="{ plugin = \"openai\", url = \"$(<address)\", name = \"judge\", response_format = \"choices\", concurrent = $concurrent, backoff = 0.01, backoff_max = 0.05, retries = 50, key_env = \"COMPEER_NO_KEY\" }"
  sed "s|^plugin = \"esc_world_truth\"|plugin = \"unifireward\"\nvotes = 2\nchat = $chat|" "$SOURCE/tests/reliability/toy.toml" >judged.toml
  rm -rf "${1%/*}"
  TOY=judged.toml make_run "$1" --set "ranks=$2"
  : >asked.txt
}
repeated() { sort asked.txt | uniq -d | wc -l; }
trap 'kill "${server:-}" 2>/dev/null; tidy' EXIT

serve 0
make_judged whole/toy 1
begun=${EPOCHREALTIME/./}
start whole/toy 1
wait_for_end
((code == 0)) || { fault "the undisturbed run ends with $code" whole/toy/log.txt; finish; }
duration=$((${EPOCHREALTIME/./} - begun))
requests=$(wc -l <asked.txt)
((requests > 50)) || fault "the judge was asked $requests times"

serve 0.3
compared=0
for ((i = 0; i < (TIMES + 4) / 5; ++i)); do
  make_judged slow/toy "${ranks_of[i % 2]}"
  start slow/toy "${ranks_of[i % 2]}"
  wait_for_end
  ((code == 0)) || fault "run $i beside a failing endpoint ends with $code" slow/toy/log.txt
  [[ $(fingerprint slow/toy) == "$(fingerprint whole/toy)" ]] || fault "run $i beside a failing endpoint has other bits"
  (($(sort -u asked.txt | wc -l) == requests && $(repeated) == 0)) || fault "run $i asks $(wc -l <asked.txt) requests, not $requests"
  compared=$((compared + 1))
done

killed=0 again=0
while ((killed < TIMES && ${#wrong[@]} < 20)); do
  ranks=${ranks_of[killed % 2]}
  make_judged killed/toy "$ranks"
  start killed/toy "$ranks"
  below "$((2 * duration))"
  sleep "$((REPLY / 1000000)).$(printf %06d $((REPLY % 1000000)))"
  below 2
  if ((REPLY == 0)); then kill -9 -- "-$group" 2>/dev/null; else pkill -9 -g "$group" -x compeer-worker -o; fi
  wait_for_end
  ((code == 0)) && continue # the run had ended before
  ((code == 137)) || fault "kill $killed: ends with $code" killed/toy/log.txt
  no_orphans "kill $killed"
  killed=$((killed + 1))
  goes_on killed/toy "$ranks" whole/toy "kill $killed"
  (($(sort -u asked.txt | wc -l) == requests)) || fault "kill $killed: asks other requests than the undisturbed run"
  (($(repeated) <= ranks * concurrent)) || fault "kill $killed: $(repeated) requests are sent again, of which $((ranks * concurrent)) at most were under way"
  again=$((again + $(repeated)))
done

tried "$killed" "$all" kills
figure "requests of a run" "$requests"
figure "runs beside the failing endpoint that end with the same bits, over 1 and 2 ranks" "$compared"
figure "answers that were asked for again, of all killed runs" "$again"
figure "other bits at the end, other requests, more sent again than were under way, processes left" "${#wrong[@]}"
finish
