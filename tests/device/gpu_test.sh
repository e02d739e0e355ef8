#!/usr/bin/env bash
# Tests that need a real NVIDIA GPU: doctor's checks; runs, killed and resumed, also on the CPU and with full device
# memory; a judge, an evaluation and a stage's model; images; ranks that share one device; sums by NCCL. Two ranks get
# the one GPU by using different host names, which requires root.
#   usage: gpu_test.sh SOURCE_DIR COMPEER
set -uo pipefail
source_dir=$(realpath "$1") compeer=$(realpath "$2")
worker=$(dirname "$compeer")/compeer-worker
work=$(mktemp -d -t compeer-gpu.XXXXXX)
cd "$work" || exit
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 COMPEER_HOME=$source_dir XDG_CACHE_HOME=$work/cache
smoke=$source_dir/experiments/smoke_grpo.toml
there=(--set ranks=1 --set model.device=cuda --set model.engine=libtorch)
failures=0

fail() { echo "FAILED  $1" && exit 1; }
says() { grep -qF -- "$2" "$1" || { tail -n 20 "$1" && fail "$1 does not say '$2'"; }; }
# make_run FOLDER EXPERIMENT [--set ...]: makes a run folder as the front end does.
make_run() {
  local folder=$1 experiment=$2
  shift 2
  mkdir -p "$folder"
  "$compeer" resolve "$experiment" "$@" --json >"$folder/spec.json" || fail "$folder has no spec"
}
ends() { # EXPECTED_EXIT LOG COMMAND...
  local expected=$1 log=$2 code=0
  shift 2
  "$@" >>"$log" 2>&1 || code=$?
  ((code == expected)) || { tail -n 20 "$log" && fail "$log ended with $code"; }
}
run() { ends "$2" "$1/log.txt" "$worker" "$1" --resume; } # FOLDER EXPECTED_EXIT
# near FILE FILE BOUND: checks that the mean difference of all numbers of two weight files, or of two JSON lines files,
# is at most BOUND.
near() {
  python3 - "$@" <<'PYTHON'
import array, json, pathlib, sys
def numbers(path):
    data = pathlib.Path(path).read_bytes()
    if path.endswith(".jsonl"):
        return [x for line in data.splitlines() for x in json.loads(line)["logprobs"]]
    body = data[8 + int.from_bytes(data[:8], "little"):]
    return array.array("f", body)
one, other, bound = numbers(sys.argv[1]), numbers(sys.argv[2]), float(sys.argv[3])
assert len(one) == len(other) > 0, "other sizes"
apart = [abs(a - b) for a, b in zip(one, other)]
print(f"{len(apart)} numbers differ by {sum(apart) / len(apart):.3g} in the mean, {max(apart):.3g} at most")
sys.exit(not sum(apart) / len(apart) <= bound)
PYTHON
}
weights() { echo "$1/checkpoints/last/model.safetensors"; }

checks() { ends 0 doctor.txt "$compeer" doctor --device cuda && tail -n 3 doctor.txt; }

whole() {
  make_run whole "$smoke" "${there[@]}" --set grpo.steps=4 && run whole 0
  grep -h "device:\|certif" whole/log.txt
}

killed() { # started on the GPU, killed, resumed on the GPU and on the CPU
  make_run killed "$smoke" "${there[@]}" --set model.device=auto --set grpo.steps=4
  "$worker" killed --resume >killed/log.txt 2>&1 &
  until [[ -f killed/checkpoints/last/manifest.json ]] || ! kill -0 "$!" 2>/dev/null; do sleep 0.05; done
  kill -9 "$!"
  wait "$!"
  cp -r killed moved
  run killed 0
  near "$(weights whole)" "$(weights killed)" 1e-5 || fail "a killed run has other weights"
  CUDA_VISIBLE_DEVICES='' run moved 0
  says moved/log.txt "note: model.device is 'auto', and the run computes on the CPU: no NVIDIA device is available"
  near "$(weights whole)" "$(weights moved)" 1e-5 || fail "a run that went on on the CPU has other weights"
}

full() { # another program uses most of the device memory
  python3 -c 'import torch' 2>/dev/null || { echo "skipped: no torch for Python that would fill the device" && return; }
  make_run full "$smoke" "${there[@]}" --set grpo.steps=4
  coproc python3 -c 'import torch
free = torch.cuda.mem_get_info()[0]
kept = torch.empty(free - (560 << 20), dtype=torch.uint8, device="cuda")
print("taken", flush=True)
input()'
  read -r -u "${COPROC[0]}"
  local code=0
  "$worker" full --resume >full/log.txt 2>&1 || code=$?
  echo >&"${COPROC[1]}"
  wait "$COPROC_PID"
  tail -n 2 full/log.txt
  ((code == 1 || code == 2 || code == 3)) || fail "on a full device a run ended with $code"
  run full 0
}

large() { # refused before anything is read or written
  make_run large "$smoke" "${there[@]}" --set model.config.num_hidden_layers=64 \
    --set model.config.max_position_embeddings=2000000 --set sampling.max_new_tokens=1000000
  run large 3
  tail -n 2 large/log.txt
}

others() { # SFT, a judge next to the policy, an evaluation, and a model used by a stage; in bfloat16
  local bfloat16=("${there[@]}" --set model.compute=bfloat16)
  make_run taught "$source_dir/experiments/esc_world_sft.toml" "${bfloat16[@]}" --set model.path="whole/checkpoints/last" \
    --set sft.steps=2 --set sft.batch=4
  run taught 0
  sed "s|{ run = .* }|'taught/checkpoints/last'|; /^reader\|^reads\|^accuracy\|^least/d" \
    "$source_dir/experiments/esc_world_ur.toml" >ur.toml
  make_run judged ur.toml "${bfloat16[@]}" --set grpo.steps=2 --set grpo.batch=2 --set sampling.max_new_tokens=12 --set rewards[0].max_unreadable=1
  run judged 0
  make_run tried "$source_dir/experiments/esc_world_evaluate.toml" "${bfloat16[@]}" \
    --set model.path="judged/checkpoints/last" --set evaluate.prompts=4
  run tried 0
  printf '%s\n' 'name = "asked"' 'task = "data"' '[dataset]' 'plugin = "esc_world"' 'unit = "dialogue"' 'rounds = 2' 'train = 3' \
    '[data]' 'device = "cuda"' 'splits = ["train"]' '[[stages]]' 'plugin = "sample"' 'rounds = 1' '[[stages]]' \
    'plugin = "answer"' 'supporter_tokens = 12' \
    "supporter = { plugin = \"local\", path = \"judged/checkpoints/last\" }" >asked.toml
  make_run asked asked.toml
  run asked 0
  [[ $(wc -l <asked/stages/02-answer.jsonl) == 3 ]] || fail "a stage's model answers nothing"
}

pictures() {
  local vl=$source_dir/tests/golden/vl
  python3 - "$vl" <<'PYTHON' >asked.jsonl
import json, sys
golden = json.load(open(sys.argv[1] + "/golden.json"))
for one in golden["sequences"]:
    files = [f"{sys.argv[1]}/{golden['images'][i]['file']}" for i in one["images"]]
    print(json.dumps({"ids": one["ids"], "images": files} if files else {"ids": one["ids"]}))
PYTHON
  "$compeer" score --model "$vl" <asked.jsonl >cpu.jsonl || fail "pictures on the CPU"
  local compute
  for compute in float32 bfloat16; do
    "$compeer" score --model "$vl" --device cuda --compute $compute <asked.jsonl >$compute.jsonl || fail "pictures on the device"
    near cpu.jsonl $compute.jsonl "$([[ $compute == float32 ]] && echo 1e-5 || echo 0.03)" || fail "pictures in $compute"
  done
}

shared() { # two ranks of a host with one device
  make_run shared "$smoke" "${there[@]}" --set ranks=2 --set grpo.steps=2
  CUDA_VISIBLE_DEVICES=0 ends 2 shared/log.txt mpirun -n 2 --oversubscribe --bind-to none "$worker" shared
  says shared/log.txt "share one device"
}

# Two ranks with different host names, so that both get the one device.
two() { # FOLDER [--set ...]
  local folder=$1
  shift
  make_run "$folder" "$smoke" "${there[@]}" --set ranks=2 --set grpo.steps=2 "$@"
  export NCCL_SOCKET_IFNAME=lo NCCL_DEBUG=INFO CUDA_VISIBLE_DEVICES=0
  ends 0 "$folder/log.txt" mpirun --oversubscribe --bind-to none -n 1 "$worker" "$folder" : \
    -n 1 unshare --uts bash -c "hostname another && exec '$worker' $folder"
}

nccl() {
  unshare --uts true 2>/dev/null || { echo "skipped: names of hosts take root" && return; }
  two on_hosts
  says on_hosts/log.txt "2 ranks on 2 hosts"
  two on_devices --set sums=device
  grep -ho -m 1 "NCCL version.*" on_devices/log.txt || fail "NCCL did not say that it was there"
  two sliced --set sums=device --set shard=optimizer
  near "$(weights on_hosts)" "$(weights on_devices)" 1e-5 || fail "sums by NCCL give other weights"
  near "$(weights on_hosts)" "$(weights sliced)" 1e-5 || fail "slices of sums by NCCL give other weights"
}

for part in ${GPU_PARTS:-checks whole killed full large others pictures shared nccl}; do
  begun=$SECONDS state=passed
  ("$part") || { state=FAILED && ((failures += 1)); }
  echo "$part: $state in $((SECONDS - begun)) s"
done
if ((failures > 0)); then echo "FAILED: $failures parts; what they left is in $work" && exit 1; fi
rm -rf "$work"
echo ok
