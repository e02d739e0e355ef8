#!/usr/bin/env bash
# shellcheck source-path=SCRIPTDIR/..
# Builds the targets of this folder and runs each for a while, from what fuzz/corpus/ and fuzz/grown/ hold and what
# earlier runs found worth keeping. Tells one line for each, and ends with 1 if anything was found.
#
#   fuzz/run.sh [--seconds 60] [--jobs 2] [--seed N] [--minutes N] [--grow] [NAME...]
#
# With --minutes it ends when they are over, and says which targets it did not reach. With --grow what was worth keeping
# goes into fuzz/grown/ (fuzz/long.sh).
# Without a seed each run tries other inputs. With one it begins as it did before, as far as time allows: so what is
# asked of a commit does not hang on luck.
# Inputs that were found lie in the build folder, in found/. Environment: COMPEER_FUZZ_BUILD_DIR (default: build-fuzz/ in
# the checkout), and what ./compeer reads.
set -euo pipefail

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
source "$root/cmake/wrapper/speech.sh"
source "$root/cmake/wrapper/packages.sh"
source "$root/cmake/wrapper/libtorch.sh"
source "$root/cmake/wrapper/build.sh"
# shellcheck disable=SC2034  # cmake/wrapper/build.sh uses it
configure_options=(--preset fuzz)

usage='fuzz/run.sh [--seconds 60] [--jobs 2] [--seed N] [--minutes N] [--grow] [NAME...]'
seconds=60 jobs=2 seed=0 grow=
deadline=$((SECONDS + 1000000))
most_grown=$((128 << 10))   # bytes of inputs that a target keeps in fuzz/grown/
names=() built=() unreached=()
build=${COMPEER_FUZZ_BUILD_DIR:-$root/build-fuzz}

read_arguments() {
  while (($# > 0)); do
    case $1 in
      --seconds) seconds=${2:?} && shift ;;
      --jobs) jobs=${2:?} && shift ;;
      --seed) seed=${2:?} && shift ;;
      --minutes) deadline=$((SECONDS + 60 * ${2:?})) && shift ;;
      --grow) grow=1 ;;
      -*) stop "unknown option $1" "$usage" ;;
      *) names+=("$1") ;;
    esac
    shift
  done
}

all_names() { sed -n 's/^compeer_fuzz(\([a-z_]*\).*/\1/p' "$root/fuzz/CMakeLists.txt" | sort; }

check_names() {
  local name
  for name in "${names[@]}"; do
    all_names | grep -qx "$name" || stop "no fuzz target '$name'" "known: $(all_names | paste -sd ' ')"
  done
  ((${#names[@]} > 0)) || mapfile -t names < <(all_names)
}

left() { echo $((deadline > SECONDS ? deadline - SECONDS : 1)); }

# Seconds that are left for building if what is built is to be run, too.
spare() { echo $(($(left) - seconds * (${#built[@]} + jobs) / jobs)); }

# need_build calls it.
ninja() { timeout --foreground "$(spare)" ninja "$@"; }

build_targets() {
  local name
  need_packages "$root/cmake/debian-packages.txt"
  need_packages "$root/fuzz/debian-packages.txt"
  need_libtorch "$root/cmake/libtorch.lock"
  for name in "${names[@]}"; do
    if (($(spare) > 0)) && (need_build "$build" "fuzz_$name"); then
      built+=("$name")
    else
      (($(spare) <= 0)) || exit 1
      unreached+=("$name")
    fi
  done
}

# Pictures unfold: a file of 4 KB is up to 64 million colours. Targets with libtorch begin at 250 MB.
megabytes_of() {
  case $1 in
    images | tokenizer) echo 2048 ;;
    layouts | answer_store) echo 1024 ;;
    *) echo 512 ;;
  esac
}

# run_target NAME: its log in found/NAME.log, its line in found/NAME.line.
run_target() {
  local name=$1 status=0
  local log=$build/found/$name.log
  mkdir -p "$build/found/$name" "$build/corpus/$name"
  [[ ! -f $root/fuzz/grown/$name.tar.gz ]] || tar -xzf "$root/fuzz/grown/$name.tar.gz" -C "$build/corpus/$name"
  "$build/bin/fuzz_$name" -max_total_time="$seconds" -seed="$seed" -timeout=10 -rss_limit_mb="$(megabytes_of "$name")" \
    -artifact_prefix="$build/found/$name/" -print_final_stats=1 "$build/corpus/$name" "$root/fuzz/corpus/$name" \
    >"$log" 2>&1 </dev/null || status=$?
  line_of "$name" "$log" "$status" | tee "$build/found/$name.line"
  [[ -z $grow ]] || grow_corpus "$name" || echo "$name: fuzz/grown/ stays as it was"
}

# grow_corpus NAME: the smallest inputs that lead where those of fuzz/corpus/ do not. An archive of the same inputs has
# the same bytes.
grow_corpus() {
  local name=$1 merged size sum=0 file
  merged=$(mktemp -d)
  mkdir "$merged/all" "$merged/new"
  cp "$root/fuzz/corpus/$name"/* "$merged/all"
  "$build/bin/fuzz_$name" -merge=1 -timeout=10 -rss_limit_mb="$(megabytes_of "$name")" "$merged/all" \
    "$build/corpus/$name" >"$build/found/$name.merge.log" 2>&1 </dev/null || return
  while read -r size file; do
    [[ ! -e $root/fuzz/corpus/$name/${file##*/} ]] || continue
    sum=$((sum + size))
    ((sum > most_grown)) || mv "$file" "$merged/new"
  done < <(find "$merged/all" -type f -printf '%s %p\n' | sort -n)
  mkdir -p "$root/fuzz/grown"
  tar --sort=name --owner=0 --group=0 --numeric-owner --mode=644 --mtime=@0 -C "$merged/new" -cf - . | gzip -n9 >"$merged/tar.gz"
  mv "$merged/tar.gz" "$root/fuzz/grown/$name.tar.gz"
  rm -rf "$merged"
}

line_of() {
  local name=$1 log=$2 status=$3 runs speed covered result='nothing found'
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  speed=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")
  covered=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
  ((status == 0)) || result="FOUND: $(grep -m 1 -E 'SUMMARY|ERROR: ' "$log" || echo "it ended with $status"), see $log"
  printf '%-14s %9s runs, %6s a second, %6s edges: %s\n' "$name" "${runs:-?}" "${speed:-?}" "${covered:-?}" "$result"
}

# What was found, for whoever sees no more than what is printed here: the report, and inputs that are short.
tell_found() {
  local name line input
  for line in "$build"/found/*.line; do
    grep -qs FOUND "$line" || continue
    name=$(basename "$line" .line)
    grep -m 1 -A 15 -E 'ERROR: |runtime error: |SUMMARY' "$build/found/$name.log" || true
    for input in "$build/found/$name"/*; do
      [[ ! -f $input || $(stat -c %s "$input") -gt 4096 ]] || printf '%s: %s\n' "$input" "$(base64 -w 0 "$input")"
    done
  done
}

run_all() {
  local name
  rm -rf "$build/found"
  mkdir -p "$build/found"
  for name in "${built[@]}"; do
    while (($(jobs -rp | wc -l) >= jobs)); do wait -n || true; done
    if (($(left) < seconds)); then unreached+=("$name") && continue; fi
    run_target "$name" &
  done
  wait
  ((${#unreached[@]} == 0)) || say "not reached in time: ${unreached[*]}"
}

main() {
  read_arguments "$@"
  check_names
  build_targets
  TMPDIR=$(mktemp -d -p "$([[ -d /dev/shm ]] && echo /dev/shm || echo /tmp)" compeer-fuzz-XXXXXX)
  export TMPDIR
  trap 'rm -rf "$TMPDIR"' EXIT
  run_all
  tell_found
  ! grep -qs FOUND "$build"/found/*.line || stop "something was found" "keep the input in fuzz/corpus/, with a test and the fix: fuzz/README.md"
}

main "$@"
