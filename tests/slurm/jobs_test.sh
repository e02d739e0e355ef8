#!/usr/bin/env bash
# compeer submit against a real Slurm of two nodes: preemption, arrays, scripts in one allocation, runs that fail.
# usage: jobs_test.sh SOURCE_DIR BUILD_DIR
set -uo pipefail
source_dir=$1 build=$2
# shellcheck source=cluster.sh
source "$source_dir/tests/slurm/cluster.sh"
lacking=$(cluster_lacks)
if [[ $lacking ]]; then
  echo "skipped: $lacking"
  exit 77
fi

work=$(mktemp -d -t compeer-slurm.XXXXXX)
trap 'stop_cluster "$work/cluster"; rm -rf "$work"' EXIT
mkdir "$work/cluster" "$work/my results"
cd "$work" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 COMPEER_HOME=$source_dir
PATH=$build/bin:$PATH
smoke=$source_dir/experiments/smoke_grpo.toml
start_cluster "$work/cluster" || exit 1

fail() {
  echo "FAILED  $1"
  for file in results/*/log.txt results/*.jobs/*.txt "my results"/*/log.txt; do
    [[ -e $file ]] && echo "--- $file" && tail -n 25 "$file"
  done
  tail -n 25 cluster/*.log
  squeue
  exit 1
}
ok() { echo "ok      $1"; }

# until_true WHAT COMMAND...: repeats the command until it succeeds.
until_true() {
  local what=$1 deadline=$((SECONDS + 90))
  shift
  until "$@" >/dev/null 2>&1; do
    ((SECONDS > deadline)) && fail "$what: $*"
    sleep 0.1
  done
}

in_state() { [[ $(squeue --noheader --jobs "$1" --format %T) == "$2" ]]; } # JOB STATE
gone() { [[ -z $(squeue --noheader --jobs "$1" 2>/dev/null) ]]; }          # JOB
ended() { [[ $(scontrol show job "$1") == *"ExitCode=$2:0"* ]]; }          # JOB CODE
submit() { compeer submit "$@" --json 2>submit.err | python3 -c 'import json, sys; print(json.load(sys.stdin)["jobs"][0]["job"])'; }
finished() { [[ $(<"$1/status.json") == *'"state":"finished"'* ]]; }       # RUN
fingerprint() { (cd "$1/checkpoints/last" && sha256sum model.safetensors optimizer.safetensors); }

# The reference for preempted runs: the same experiment, without Slurm and without interruption.
long=(--set grpo.steps=100 --set checkpoint.every=1000)
compeer run "$smoke" "${long[@]}" --results reference --quiet >/dev/null || fail "the reference run"

# 1. Two ranks on two nodes, in a folder with a name that needs quotes: preempted in the middle, requeued, resumed.
job=$(submit "$smoke" "${long[@]}" --nodes 2 --time 10 --results "my results")
run="my results/smoke-grpo"
until_true "the run starts" grep -q '"step":[1-9]' "$run/status.json"
scancel --signal=USR1 "$job"
until_true "the job is requeued" in_state "$job" PENDING
grep -q "as requested; its checkpoint is saved" "$run/log.txt" || fail "no checkpoint was written"
[[ $(scontrol show job "$job") == *"Restarts=1"* ]] || fail "the job was not requeued by Slurm"
finished "$run" && fail "the run was too quick to be preempted"
until_true "the job ends" gone "$job"
finished "$run" || fail "the requeued run did not finish"
[[ $(fingerprint "$run") == "$(fingerprint reference/smoke-grpo)" ]] || fail "the requeued run has other weights"
ended "$job" 0 || fail "the job's exit code is not 0"
ok "a preempted run over two nodes is requeued and ends with the same bits"

compeer submit "$smoke" "${long[@]}" --results "my results" 2>submit.err >submit.out || fail "submitting once more"
[[ $(<submit.err) == *"finished before"* && ! -s submit.out ]] || fail "a finished run was submitted"
ok "a finished run is left alone"

# 2. A sweep with one finished run. The last task of the array, which has the job number of the whole array, is
# preempted.
cat >sweep.lua <<'END'
local compeer = require "compeer"
local base = compeer.load("experiments/smoke_grpo.toml"):with { ranks = 1, grpo = { steps = 100 }, checkpoint = { every = 1000 } }
local done = compeer.sweep(base, { seed = { 1, 2, 3 } }):run()
print(done:table("seed", "reward"))
END
sed 's/{ 1, 2, 3 }/{ 2 }/' sweep.lua >one.lua
compeer run one.lua --quiet >/dev/null || fail "the first run of the sweep"
before=$(stat --format %Y results/smoke-grpo-seed_2/run.h5)
job=$(submit sweep.lua --array-limit 2)
last=results/smoke-grpo-seed_3
until_true "the last task starts" grep -q '"step":[1-9]' "$last/status.json"
scancel --signal=USR1 "${job}_1"
until_true "the last task is requeued" in_state "${job}_1" PENDING
finished "$last" && fail "the task was too quick to be preempted"
until_true "the other task ends" gone "${job}_0"
[[ $(scontrol show job "${job}_0") == *"Restarts=0"* ]] || fail "another task of the array was requeued, too"
until_true "the array ends" gone "$job"
for seed in 1 2 3; do finished "results/smoke-grpo-seed_$seed" || fail "seed $seed did not finish"; done
[[ $(stat --format %Y results/smoke-grpo-seed_2/run.h5) == "$before" ]] || fail "the finished run was repeated"
compeer run sweep.lua >table.out 2>table.err || fail "reading the sweep back"
[[ $(<table.err) == *"3 runs: 3 finished before"$'\n'* && $(wc -l <table.out) == 4 ]] || fail "the sweep was not read back"
compeer run "$smoke" --set seed=3 --set ranks=1 --set grpo.steps=100 --set checkpoint.every=1000 --results reference \
  --set name=same --quiet >/dev/null || fail "the reference of the sweep"
[[ $(fingerprint "$last") == "$(fingerprint reference/same)" ]] || fail "the requeued task has other weights"
ok "a sweep is an array without what has finished, and one task of it is requeued alone"

# 3. A script with a second run that needs the first: one job, a Slurm step for each run; preempted in the first.
cat >chain.lua <<'END'
local compeer = require "compeer"
local base = compeer.load("experiments/smoke_grpo.toml"):with { grpo = { steps = 60 }, checkpoint = { every = 100 } }
local first = base:with { name = "first" }:launch()
base:with { name = "second", grpo = { steps = 2 }, model = { path = first.checkpoint, config = {} } }:launch()
END
job=$(submit chain.lua --nodes 2)
until_true "the first run starts" grep -q '"step":[1-9]' results/first/status.json
scancel --batch --signal=USR1 "$job"
until_true "the script is requeued" in_state "$job" PENDING
finished results/first && fail "the first run was too quick to be preempted"
until_true "the script ends" gone "$job"
finished results/second || fail "the script did not get to its end"
grep -q "first: resumes on 2 ranks" results/chain.jobs/log.txt || fail "the first run did not go on"
ok "a script that needs its own results runs within one job, is requeued and goes on"

# 4. A failing run: its exit code is that of the job, which is not requeued.
echo 'return function() error "no such feeling" end' >bad.lua
job=$(submit "$smoke" --set name=bad --set 'rewards=[{ plugin = "lua", path = "bad.lua" }]')
until_true "the bad run ends" gone "$job"
ended "$job" 5 || fail "the job's exit code is not 5: $(scontrol show job "$job" | grep ExitCode)"
[[ $(scontrol show job "$job") == *"Restarts=0"* ]] || fail "a run that failed was queued again"
grep -q '"exit":5' results/bad/error.json || fail "error.json does not say what happened"
ok "a run that fails ends its job with its own exit code"

[[ $(compeer doctor) == *"srun --mpi=pmix"* ]] || fail "doctor does not find PMIx"
ok "doctor finds Slurm and PMIx"

srun --mpi=pmix --nodes=2 --ntasks-per-node=1 compeer doctor >doctor.out 2>&1 || { cat doctor.out; fail "doctor as a task on each node"; }
for line in "MPI between hosts *2 ranks on node1, node2 " "versions *all hosts have the same" "clocks *differ by" "shared folder *$work" "shared locks"; do
  [[ $(grep -c "^ok *$line" doctor.out) == 1 ]] || { cat doctor.out; fail "doctor on two nodes: no '$line'"; }
done
srun --mpi=none --nodes=2 --ntasks-per-node=1 compeer doctor >doctor.out 2>&1 && fail "doctor finds tasks connected that aren't"
grep -q "^lacking *MPI between hosts *2 ranks can't communicate (exit 2): .*Slurm started 2 tasks that MPI cannot connect" doctor.out || { cat doctor.out; fail "doctor does not say why"; }
salloc --nodes=2 --ntasks-per-node=1 --quiet compeer doctor >doctor.out 2>&1 || { cat doctor.out; fail "doctor in an allocation"; }
grep -q "^ok *MPI between hosts *2 ranks on node1, node2 " doctor.out || { cat doctor.out; fail "doctor in an allocation tests no hosts"; }
ok "doctor tests what is between two nodes"

# 5. A cancelled job is not requeued; submitting its folder again resumes the run.
job=$(submit "$smoke" "${long[@]}" --set name=cancelled)
until_true "the run starts" grep -q '"step":[1-9]' results/cancelled/status.json
scancel "$job"
until_true "the job ends" gone "$job"
[[ $(scontrol show job "$job") == *"JobState=CANCELLED"*"Restarts=0"* ]] || fail "a cancelled job lives on"
finished results/cancelled && fail "the run was too quick to be cancelled"
grep -q '"state":"cancelled"' results/cancelled/status.json || fail "the run isn't 'cancelled': $(<results/cancelled/status.json)"
grep -q "job $job of Slurm ended with .*: CANCELLED AT " results/cancelled/error.json || fail "error.json doesn't tell of scancel"
compeer log watch results/cancelled >watch.out
[[ $(<watch.out) == *"cancelled: cancelled after "*": job $job of Slurm ended with "* ]] || { cat watch.out; fail "log watch"; }
job=$(submit results/cancelled)
until_true "the job ends" gone "$job"
finished results/cancelled || fail "the cancelled run did not go on"
[[ $(fingerprint results/cancelled) == "$(fingerprint reference/smoke-grpo)" ]] || fail "the cancelled run has other weights"
ok "a cancelled job is not requeued, and its run goes on when it is submitted again"

# 6. If tasks are killed, the job script records the reason; if the script is killed, no reason is recorded.
job=$(submit "$smoke" "${long[@]}" --set name=killed)
until_true "the run starts" grep -q '"step":[1-9]' results/killed/status.json
scancel --signal=KILL "$job.0"
until_true "the job ends" gone "$job"
grep -q "job $job of Slurm ended with signal 9 (KILL)" results/killed/error.json || fail "error.json doesn't tell of the signal"
grep -q '"state":"failed"' results/killed/status.json || fail "status.json says $(<results/killed/status.json)"
sed -i 's/"state":"failed"/"state":"running"/' results/killed/status.json
rm results/killed/error.json
compeer log watch results/killed >watch.out && fail "a dead run is said to have finished"
[[ $(<watch.out) == *"killed: stopped after "*": its processes have ended; "* ]] || { cat watch.out; fail "log watch of a dead run"; }
ok "a job that was killed is not said to be running"

# 7. srun by hand: tasks that can't connect to each other are refused instead of running separately.
compeer submit "$smoke" --set name=hand --dry-run >hand.sh || fail "a dry run"
mkdir -p results/hand
compeer resolve "$smoke" --set name=hand --json >results/hand/spec.json
srun --mpi=none --ntasks=2 compeer-worker results/hand >hand.out 2>&1
code=$?
[[ $code == 2 && $(<hand.out) == *"Slurm started 2 tasks that MPI cannot connect"* ]] || { cat hand.out; fail "code $code"; }
[[ ! -e results/hand/run.h5 ]] || fail "a rank of its own has begun"
ok "tasks that MPI can't connect are refused"
