#!/usr/bin/env bash
# Workers started by hand in every wrong order: no work of a run is lost, and a refused start leaves the folder
# unchanged, byte for byte.
#   usage: wrong_order_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1 build=$2
work=$(mktemp -d -t compeer-order.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 COMPEER_HOME=$source_dir OMP_NUM_THREADS=1

fail() { echo "FAILED  $1"; [[ -z ${2:-} ]] || cat "$2"; exit 1; }
make_run() { # NAME [--set ...]
  mkdir -p "$1"
  "$build/bin/compeer" resolve "$source_dir/tests/reliability/toy.toml" "${@:2}" --json >"$1/spec.json"
}
# start RANKS NAME [OPTION]: starts a worker; said.txt, next to the folder, receives its output.
start() {
  local launcher=()
  (($1 > 1)) && launcher=(mpirun -q -n "$1" --oversubscribe --bind-to none)
  setsid env ${faults:-} "${launcher[@]}" "$build/bin/compeer-worker" "${@:2}" >said.txt 2>&1 &
  job=$!
}
ends() { # CODE RANKS NAME [OPTION]
  start "${@:2}"
  local code=0
  wait "$job" || code=$?
  [[ $code == "$1" ]] || fail "${*:3} over $2 ended with $code instead of $1" said.txt
}
says() { grep -qF -- "$1" said.txt || fail "it does not say '$1'" said.txt; }
contents() { (cd "$1" && find . \( -type f -exec sha256sum {} + \) , \( ! -type f -printf '%p %l\n' \) | sort); }
weights() { (cd "$1/checkpoints/last" && sha256sum ./*.safetensors); }
same() { [[ $(weights "$1") == "$expected" ]] || fail "$1 has other weights"; verified "$1"; }
verified() { "$build/bin/compeer" log verify "$1" >verify.txt || fail "log verify of $1" verify.txt; }
# leaves NAME CODE RANKS [OPTION]: the start must end with this code and leave the folder unchanged.
leaves() {
  local before
  before=$(contents "$1")
  ends "$2" "$3" "$1" "${@:4}"
  [[ $(contents "$1") == "$before" ]] || fail "$1 ${*:4} over $3 has changed the folder: $(diff <(echo "$before") <(contents "$1"))"
}
# stopped NAME RANKS: makes a run that was stopped after some of its 400 steps, with a checkpoint every tenth step.
stopped() {
  make_run "$1" --set grpo.steps=400 --set checkpoint.every=10
  start "$2" "$1"
  until [[ $(grep -o '"step":[0-9]*' "$1/status.json" 2>/dev/null | cut -d: -f2 | head -1 || true) -ge 25 ]]; do
    kill -0 "$job" || fail "$1 ended by itself" said.txt
  done
}

make_run whole
ends 0 1 whole
expected=$(weights whole)
for ranks in 1 2; do
  leaves whole 4 $ranks
  says "whole: contains a finished run"
  says "--resume continues it; --fresh starts over and renames the existing folder"
  leaves whole 0 $ranks --resume
  says "whole has already finished: nothing to do"
done
echo "ok      a finished run stays as it is"

before=$(contents whole)
ends 0 2 whole --fresh
says "note: starting over; the existing folder whole was renamed to whole~1"
[[ $(contents whole~1) == "$before" ]] || fail "setting a run aside has changed it"
same whole && verified whole~1
(cd whole && ends 0 1 . --fresh)
[[ -e whole~2/run.h5 ]] || fail "not set aside from within"
same whole
echo "ok      --fresh keeps what was there"

# The folder as `compeer run` and batch scripts leave it before the first start.
make_run only-spec
touch only-spec/log.txt only-spec/job.sh only-spec/.lock
ends 0 1 only-spec
same only-spec

for ranks in 1 2; do
  stopped stopped-$ranks $ranks
  kill -USR1 "$job"
  wait "$job" && fail "it was not stopped" || [[ $? == 85 ]] || fail "a stop ends with $?" said.txt
  leaves stopped-$ranks 4 $ranks
  says "stopped-$ranks: contains a run that reached step "
  verified stopped-$ranks
  cp -a stopped-$ranks killed-$ranks
  start $ranks killed-$ranks --resume
  until kill -9 -- "-$job" 2>/dev/null; do kill -0 "$job" 2>/dev/null || break; done
  wait "$job" || true
  leaves killed-$ranks 4 $ranks
  verified killed-$ranks
done
echo "ok      a run that was stopped or killed is not begun again"

# Two workers at once.
cp -a stopped-1 two
start 1 two --resume
until grep -qs '"state":"running"' two/status.json; do kill -0 "$job" || fail "ended by itself" said.txt; done
first=$job
kill -STOP "$first"
for option in "" --resume --fresh; do
  leaves two 4 1 $option
  says "two: is in use by other workers"
done
kill -CONT "$first" && kill -USR1 "$first"
wait "$first" || [[ $? == 85 ]] || fail "the first of two ends with $?"
verified two
echo "ok      one worker at a time"

# Checkpoints that do not belong to the run.
newest=$(readlink stopped-1/checkpoints/last)
cp -a stopped-1 dangling
rm -r "dangling/checkpoints/$newest"
"$build/bin/compeer" log verify dangling >verify.txt && fail "log verify finds nothing wrong with a last that dangles"
grep -q "BAD.*checkpoints/last.*points to $newest, which does not exist" verify.txt || fail "log verify" verify.txt
cp -a stopped-1 damaged
echo >>"damaged/checkpoints/$newest/model.safetensors"
for name in dangling damaged; do
  start 1 $name --resume
  until grep -qs '"state":"running"' $name/status.json; do kill -0 "$job" || fail "$name ended by itself" said.txt; done
  kill -USR1 "$job"
  wait "$job" || [[ $? == 85 ]] || fail "$name ends with $?" said.txt
  [[ $(weights $name) ]] || fail "the last of $name"
done
says "warning: skipped checkpoints/$newest: model.safetensors has "
"$build/bin/compeer" log show damaged 2>&1 | grep -q "skipped checkpoints/$newest" || fail "the log does not say what was passed over"
cp -a stopped-1 none
for folder in none/checkpoints/step-*; do echo >>"$folder/model.safetensors"; done
before=$(cd none && sha256sum run.h5 rollouts/* checkpoints/*/*)
ends 4 2 none --resume
says "has no usable checkpoint:"
says "--fresh starts over and renames the existing folder"
[[ $(cd none && sha256sum run.h5 rollouts/* checkpoints/*/*) == "$before" ]] || fail "a resume that is refused has changed the run"
cp -a stopped-1 other
make_run other --set grpo.steps=400 --set checkpoint.every=10 --set seed=8
ends 4 1 other --resume
says "other/spec.json: is not the spec that run.h5 was started with"
echo "ok      a resume goes on from what fits, or not at all"

# Killed while writing the first checkpoint.
make_run first
faults="FAULT_FOLDER=$work/first LD_PRELOAD=$build/lib/reliability_faults.so FAULT_CALL=fsync FAULT_FILE=checkpoints/step-000001.part FAULT_COUNT=1 FAULT_WHAT=kill"
ends 137 1 first
faults=
leaves first 4 1
ends 0 1 first --resume
same first
echo "ok      killed in its first checkpoint"

# Checkpoints by time, over ranks with a clock each.
make_run clock --set checkpoint.every=0 --set checkpoint.minutes=1e-9
ends 0 2 clock
[[ $(ls clock/checkpoints) == $'last\nstep-000003\nstep-000004' ]] || fail "checkpoints by the clock: $(ls clock/checkpoints)"
same clock
make_run off --set checkpoint.every=0 --set checkpoint.minutes=0
ends 0 2 off
[[ $(ls off/checkpoints) == $'last\nstep-000004' ]] || fail "checkpoints that were turned off: $(ls off/checkpoints)"
same off
echo "ok      checkpoints by the clock"

# Tasks without checkpoints.
make_run evaluation --set task=evaluate --set evaluate.prompts=4 --set evaluate.group_size=2
cat >data.toml <<'TOML'
name = "data"
task = "data"
[dataset]
plugin = "esc_world"
[data]
splits = ["valid"]
[[stages]]
plugin = "deduplicate"
TOML
mkdir made && "$build/bin/compeer" resolve data.toml --json >made/spec.json
for name in evaluation made; do
  ends 0 1 $name
  leaves $name 4 2
  leaves $name 0 2 --resume
  rm $name/summary.json
  leaves $name 4 1
  before=$(contents $name)
  ends 0 1 $name --fresh
  [[ $(contents $name~1) == "$before" ]] || fail "setting $name aside has changed it"
  verified $name
done
[[ $(cat made/stages/*.jsonl | sha256sum) == $(cat made~1/stages/*.jsonl | sha256sum) ]] || fail "other records"
echo "ok      evaluations and data sets"
