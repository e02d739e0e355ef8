#!/usr/bin/env bash
# Runs the batteries and prints their figures.
#   usage: battery.sh [--build DIR] [--seed N] [--only NAME]... [--times K] [--short] [--figures DIR] [--publish]
#     --only     kills, power, damage, disk, reads, nonfinite, signals, clock, endpoint, ranks, network, soak
#     --times    number of trials of each battery, in its own unit (kills, offsets, steps, ...)
#     --short    about a minute in all, as ctest -L reliability does
#     --publish  also writes figures to tests/reliability/figures: only full batteries of a commit, for the table in
#                docs/RELIABILITY.md
#   Two batteries run at a time, except ranks and network, which depend on timing and run alone.
#   Exits with 0 if nothing went wrong, 77 if all requested batteries were skipped, otherwise 1.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
SOURCE=$(cd "$here/../.." && pwd) BUILD=$SOURCE/build SEED=1
all=(kills power damage disk reads soak signals nonfinite clock endpoint ranks network)
only=() times= short= out= publish=
usage() { sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2; }
while (($#)); do
  case $1 in
    --build) BUILD=$(cd "${2:?}" && pwd) || exit 2; shift ;;
    --seed) SEED=${2:?}; shift ;;
    --only) only+=("${2:?}"); shift ;;
    --times) times=${2:?}; shift ;;
    --figures) out=${2:?}; shift ;;
    --short) short=1 ;;
    --publish) publish=1 ;;
    *) usage ;;
  esac
  shift
done
if [[ $publish && ($short || $times) ]]; then
  echo "battery.sh: --publish is for batteries in full, without --short and --times" >&2
  exit 2
fi
if [[ $publish ]] && ! git -C "$SOURCE" diff --quiet HEAD -- . ':!tests/reliability/figures'; then
  echo "battery.sh: --publish is for what was committed: git status names changes" >&2
  exit 2
fi
declare -A few=([kills]=4 [power]=10 [damage]=8 [disk]=6 [reads]=6 [nonfinite]=1 [signals]=2 [clock]=2 [endpoint]=2 [ranks]=1 [network]=1 [soak]=60)
OUT=${out:-$BUILD/reliability}
mkdir -p "$OUT"
OUT=$(cd "$OUT" && pwd)
export SOURCE BUILD SEED OUT
((${#only[@]})) || only=("${all[@]}")

for name in "${only[@]}"; do
  [[ -x $here/$name.sh ]] || { echo "battery.sh: there is no battery '$name': ${all[*]}" >&2; exit 2; }
done
declare -A codes=()
run() {
  [[ $times ]] && export TIMES=$times
  [[ $short ]] && export TIMES=${few[$1]} RANKS="1 2"
  exec "$here/$1.sh"
}
wait_for_one() {
  local ended code
  wait -n -p ended "${!running[@]}"
  code=$?
  codes[${running[$ended]}]=$code
  unset "running[$ended]"
}
declare -A running=()
trap 'kill "${!running[@]}" 2>/dev/null; exit 130' INT TERM
for name in "${only[@]}"; do
  most=2
  [[ $name =~ ^(ranks|network)$ ]] && most=1
  while ((${#running[@]} >= most)); do wait_for_one; done
  run "$name" &
  running[$!]=$name
  ((most == 1)) && wait_for_one
done
while ((${#running[@]} > 0)); do wait_for_one; done

wrong=0 skipped=0
for name in "${only[@]}"; do
  ((codes[$name] == 77)) && skipped=$((skipped + 1))
  ((codes[$name] == 0 || codes[$name] == 77)) || wrong=1
done
if [[ $publish ]]; then
  mkdir -p "$here/figures"
  for name in "${only[@]}"; do cp "$OUT/$name.json" "$here/figures/"; done
fi
[[ $short ]] || python3 "$here/figures.py" "$OUT"
((wrong == 0 && skipped == ${#only[@]})) && exit 77
exit $wrong
