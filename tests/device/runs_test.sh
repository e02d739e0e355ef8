#!/usr/bin/env bash
# Whole runs on an emulated device: SFT, a judge, GRPO with it, evaluation, stages; checkpoints can be resumed after
# kill -9, also on the CPU; a run that runs out of memory ends without loss.
#   usage: runs_test.sh SOURCE_DIR BUILD_DIR EMULATED_WORKER
set -euo pipefail
source_dir=$1 build=$2 worker=$3
work=$(mktemp -d -t compeer-device-runs.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 COMPEER_HOME=$source_dir

fail() { echo "FAILED  $1"; exit 1; }
says() { grep -qF -- "$2" "$1" || { cat "$1"; fail "$1 does not say '$2'"; }; }
# make_run FOLDER EXPERIMENT [--set ...]: makes a run folder as the front end does.
make_run() {
  local folder=$1 experiment=$2
  shift 2
  mkdir -p "$folder"
  "$build/bin/compeer" resolve "$experiment" "$@" --json >"$folder/spec.json"
}
run() { # FOLDER EXPECTED_EXIT [VARIABLE=VALUE...]
  local folder=$1 expected=$2 code=0
  shift 2
  env "$@" "$worker" "$folder" --resume >>"$folder/log.txt" 2>&1 || code=$?
  ((code == expected)) || { cat "$folder/log.txt"; fail "$folder ended with $code"; }
}
weights() { sha256sum <"$1/checkpoints/last/model.safetensors"; }
there=(--set ranks=1 --set model.device=auto --set model.engine=libtorch)
smoke=$source_dir/experiments/smoke_grpo.toml

# The same weights with and without a kill in between.
make_run whole "$smoke" "${there[@]}" --set grpo.steps=4
run whole 0
says whole/log.txt "an emulated device"
says whole/log.txt "compeer: note: an emulated device"
says whole/log.txt "is not certified on this machine"
make_run killed "$smoke" "${there[@]}" --set grpo.steps=4
"$worker" killed --resume >killed/log.txt 2>&1 &
until [[ -f killed/checkpoints/last/manifest.json ]] || ! kill -0 "$!" 2>/dev/null; do sleep 0.05; done
kill -9 "$!" 2>/dev/null || true
{ wait "$!" || true; } 2>/dev/null
run killed 0
[[ $(weights whole) == "$(weights killed)" ]] || fail "a killed run has other weights"

# The device runs out of memory, or fails: checkpoints are kept, and the run can be resumed.
make_run full "$smoke" "${there[@]}" --set grpo.steps=4
run full 1 COMPEER_EMULATED_FULL=24000
[[ -d full/checkpoints/step-000002 ]] || fail "memory runs out too early for this test"
says full/log.txt "the emulated device is out of memory: "
says full/log.txt "or shorten groups; compeer resume continues from the newest checkpoint"
run full 0
[[ $(weights whole) == "$(weights full)" ]] || fail "a run whose memory ran out has other weights"
make_run gone "$smoke" "${there[@]}" --set grpo.steps=4
run gone 1 COMPEER_EMULATED_GONE=250
[[ -d gone/checkpoints/step-000002 && ! -d gone/checkpoints/step-000004 ]] || fail "the device goes too early or late for this test"
says gone/log.txt "the emulated device is gone"
says gone/log.txt "compeer resume continues from the newest checkpoint, with model.device = \"auto\" also on the CPU"
cp -r gone moved
run gone 0
[[ $(weights whole) == "$(weights gone)" ]] || fail "a run whose device was gone has other weights"
run moved 0 COMPEER_EMULATED=none  # started on the device, finished on the CPU
says moved/log.txt "note: model.device is 'auto', and the run computes on the CPU: COMPEER_EMULATED is 'none'"

# SFT, a judge next to the policy, an evaluation, and a model used by a stage.
make_run taught "$source_dir/experiments/esc_world_sft.toml" "${there[@]}" --set threads=1 --set model.path=whole/checkpoints/last \
  --set sft.steps=2 --set sft.batch=4 --set sft.micro_batch=2
run taught 0
sed "s|{ run = .* }|'taught/checkpoints/last'|; /^reader\|^reads\|^accuracy\|^least/d" \
  "$source_dir/experiments/esc_world_ur.toml" >ur.toml
make_run judged ur.toml "${there[@]}" --set grpo.steps=2 --set grpo.batch=2 --set sampling.max_new_tokens=12 --set rewards[0].max_unreadable=1
run judged 0
make_run tried "$source_dir/experiments/esc_world_evaluate.toml" "${there[@]}" --set model.path=judged/checkpoints/last --set evaluate.prompts=4
run tried 0
cat >asked.toml <<'TOML'
name = "asked"
task = "data"
[dataset]
plugin = "esc_world"
unit = "dialogue"
rounds = 2
train = 3
[data]
device = "auto"
splits = ["train"]
[[stages]]
plugin = "sample"
rounds = 1
[[stages]]
plugin = "answer"
supporter_tokens = 12
supporter = { plugin = "local", path = "judged/checkpoints/last" }
TOML
make_run asked asked.toml
run asked 0
says asked/log.txt "device: an emulated device, float32 by libtorch"
says asked/log.txt "compeer: note: an emulated device"
says asked/log.txt "is not certified on this machine"
[[ $(wc -l <asked/stages/02-answer.jsonl) == 3 ]] || fail "a stage's model on a device answers nothing"

# Two ranks with one device each.
make_run two "$smoke" "${there[@]}" --set grpo.steps=2 --set ranks=2 --set overlap=always
mpirun -n 2 --oversubscribe --bind-to none "$worker" two >two/log.txt 2>&1 || { cat two/log.txt; fail "two ranks"; }
says two/log.txt "device: 2 x an emulated device"

# Gradients summed on the devices have the same bits. NCCL's sum is wrong, or a call fails; a rank may have only one
# leaf.
on_devices() { # FOLDER EXPECTED_EXIT [VARIABLE=VALUE...] [--set ...]
  local folder=$1 expected=$2 code=0 variable=COMPEER_NCCL=
  shift 2
  [[ ${1:-} != *=* || $1 == --* ]] || { variable=$1 && shift; }
  make_run "$folder" "${taught[@]}" --set ranks=2 --set sums=device "$@"
  env "$variable" TMPDIR="$work" mpirun -n 2 --oversubscribe --bind-to none "$worker" "$folder" >"$folder/log.txt" 2>&1 || code=$?
  ((code == expected)) || { cat "$folder/log.txt"; fail "$folder ended with $code"; }
}
taught=("$smoke" "${there[@]}" --set grpo.steps=2)
on_devices added 0
[[ $(weights two) == "$(weights added)" ]] || fail "sums on devices have other bits"
on_devices sharded 0 --set shard=optimizer
[[ $(weights two) == "$(weights sharded)" ]] || fail "slices of sums on devices have other bits"
on_devices wrong 2 COMPEER_NCCL=wrong
says wrong/log.txt "sums: is 'device', but a test sum over NCCL is wrong"
on_devices failing 1 COMPEER_NCCL=5
says failing/log.txt "sums: is 'device', but NCCL reports: unhandled system error (error 2)"
taught=("$source_dir/experiments/esc_world_sft.toml" "${there[@]}" --set model.path=whole/checkpoints/last --set sft.steps=1 --set sft.batch=8 --set sft.micro_batch=1)
on_devices leaves 3
says leaves/log.txt "sums: 'device' requires at most one leaf per rank, but there are "
echo ok
