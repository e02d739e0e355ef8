#!/usr/bin/env bash
# The same spec gives the same weights, optimizer state, metrics and rollouts with 1, 2 and 4 ranks, 1 and 2 threads,
# after kill -9 at any moment with a resume, and for any micro-batch of tokens.
#   usage: same_bits_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1 build=$2
work=$(mktemp -d -t compeer-bits.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 COMPEER_HOME=$source_dir

# make_run NAME RANKS THREADS [--set ...]: makes a run folder as the front end does.
make_run() {
  local name=$1 ranks=$2 threads=$3
  shift 3
  mkdir -p "$name"
  "$build/bin/compeer" resolve "$source_dir/experiments/smoke_grpo.toml" --set "ranks=$ranks" --set "threads=$threads" "$@" --json \
    >"$name/spec.json"
}

# start NAME RANKS [--resume]: starts the worker in a process group of its own.
start() {
  local name=$1 ranks=$2
  shift 2
  local launcher=()
  ((ranks > 1)) && launcher=(mpirun -n "$ranks" --oversubscribe --bind-to none)
  setsid "${launcher[@]}" "$build/bin/compeer-worker" "$name" "$@" >>"$name/log.txt" 2>&1 &
}

finish() { wait "$!" || { echo "FAILED  $1 ended with $?"; cat "$1/log.txt"; exit 1; }; }

# Prints what must be equal: weights, optimizer, reference, all metrics except times and memory.
fingerprint() {
  sha256sum <"$1/checkpoints/last/model.safetensors"
  sha256sum <"$1/checkpoints/last/optimizer.safetensors"
  if [[ -f $1/checkpoints/last/reference.safetensors ]]; then sha256sum <"$1/checkpoints/last/reference.safetensors"; fi
  "$build/bin/compeer" log export "$1" --csv - | awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) keep[i] = $i !~ /seconds|per_second|time|peak_memory/ }
    { line = ""; for (i = 1; i <= NF; i++) if (keep[i]) line = line "," $i; print line }' | sha256sum
}

same() {
  if [[ $(fingerprint "$1") == "$expected" ]]; then
    echo "ok      $1"
  else
    echo "FAILED  $1 differs"
    fingerprint "$1"
    exit 1
  fi
}

# known NAME SHA256: checks the hash of the weights, which is the same on every machine. Refactoring must not change it.
known() {
  local weights
  weights=$(sha256sum <"$1/checkpoints/last/model.safetensors")
  [[ $weights == "$2"* ]] || { echo "FAILED  $1 has other weights than were recorded: $weights"; exit 1; }
}

make_run one 1 1
start one 1 && finish one
expected=$(fingerprint one)
known one 911e7fd10ae9e7e0fbcf70f598c34f3ba496d4b4f440422470edff2f398da83a
rollout_is_trainer() { # NAME FIGURES
  "$build/bin/compeer" log export "$1" --csv - | awk -F, -v figures="$2" '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == "rollout_trainer_max_diff" || $i == "ratio_distance") exact[i] = 1 }
    NR > 1 { for (i in exact) { seen++; if ($i + 0 != 0) exit 1 } }
    END { if (seen != figures) exit 1 }' || { echo "FAILED  rollout and trainer of $1 differ"; exit 1; }
  echo "ok      rollout = trainer of $1"
}
rollout_is_trainer one 16

for case in "two 2 1 1000" "four 4 1 30" "threads 1 2 1"; do # the last number: tokens per backward pass
  read -r name ranks threads micro <<<"$case"
  make_run "$name" "$ranks" "$threads" --set "grpo.micro_tokens=$micro"
  start "$name" "$ranks" && finish "$name"
  same "$name"
done

# Gradients sent while others are still computed: of whole groups and of parts of groups.
for case in "early-two 2 2 1000" "early-three 3 1 30"; do
  read -r name ranks threads micro <<<"$case"
  make_run "$name" "$ranks" "$threads" --set "grpo.micro_tokens=$micro" --set overlap=always
  start "$name" "$ranks" && finish "$name"
  same "$name"
done

# A leaf of several groups: 7 groups, two per leaf; one ratio per completion (the product over its tokens).
grpo=$expected
chain=(--set grpo.batch=7 --set grpo.groups_per_reduction=2 --set grpo.steps=3 --set grpo.level=sequence_product --set grpo.updates=2)
make_run chain-one 1 1 "${chain[@]}"
start chain-one 1 && finish chain-one
expected=$(fingerprint chain-one)
known chain-one 67c04dbc123a07b56423825879ff6775cd459f93c4128280b3417ae82e0143c4
make_run chain-three 3 2 "${chain[@]}" --set grpo.micro_tokens=30 --set overlap=always
start chain-three 3 && finish chain-three
same chain-three
expected=$grpo

# Micro-batches: 7 records, two at a time, so that one leaf of the sum is short and ranks have different numbers of
# leaves.
sft=(--set task=sft --set sft.batch=7 --set sft.micro_batch=2 --set sft.steps=3)
grpo=$expected
make_run sft-one 1 1 "${sft[@]}"
start sft-one 1 && finish sft-one
expected=$(fingerprint sft-one)
known sft-one e5da80a7fb8e45cc87a432d917950ae98aecb505c206411675b7f04cd85a64fc
make_run sft-three 3 2 "${sft[@]}" --set overlap=always
start sft-three 3 && finish sft-three
same sft-three
expected=$grpo

# Everything shared by groups or updates: a reference, an entropy threshold, advantages over the batch, two updates.
all=(--set grpo.loss=clip_cov --set grpo.clip_cov_share=0.1 --set grpo.clip_cov_low=-10 --set grpo.updates=2 --set grpo.beta=0.1 --set grpo.divisor=batch
  --set grpo.high_entropy_share=0.5 --set grpo.entropy_bonus=0.01 --set grpo.mask_truncated=true --set grpo.resample=2 --set grpo.steps=3 --set checkpoint.every=1)
make_run all-one 1 1 "${all[@]}"
start all-one 1 && finish all-one
"$build/bin/compeer" log export all-one --csv - | awk -F, '
  NR == 1 { for (i = 1; i <= NF; i++) if ($i == "replaced") column = i }
  NR > 1 { sum += $column }
  END { if (!column || sum == 0) exit 1 }' || { echo "FAILED  no group was replaced"; exit 1; }
expected=$(fingerprint all-one)
known all-one 598d351a2c33bb5c72e895b7c6a47d584aaf3dda5bfbd921fdb85ebf50176a89
make_run all-two 2 2 "${all[@]}" --set overlap=always
start all-two 2 && finish all-two
same all-two
make_run all-again 1 1 "${all[@]}"
start all-again 1 && finish all-again
rm -r all-again/checkpoints/step-000003 all-again/checkpoints/last
start all-again 1 --resume && finish all-again
same all-again
expected=$grpo

# All ways to save memory, with several ranks: bfloat16 weights with master weights, sharded optimizer state, recomputed
# activations. The files are the same as with one rank that keeps everything.
spare=(--set model.precision=bfloat16 --set grpo.steps=3 --set grpo.lr=0.001 --set checkpoint.every=1)
make_run spare-one 1 1 "${spare[@]}"
start spare-one 1 && finish spare-one
expected=$(fingerprint spare-one)
make_run spare-two 2 1 "${spare[@]}" --set shard=optimizer --set model.recompute_above=0 --set overlap=always
start spare-two 2 && finish spare-two
same spare-two
rm -r spare-two/checkpoints/step-000003 spare-two/checkpoints/last
start spare-two 2 --resume && finish spare-two
same spare-two
make_run spare-three 3 1 "${spare[@]}" --set shard=optimizer
start spare-three 3 && finish spare-three
same spare-three
expected=$grpo

# Products of bfloat16 pairs, with each instruction set.
pairs=(--set model.compute=bfloat16 --set grpo.steps=3 --set checkpoint.every=1)
make_run pairs-one 1 1 "${pairs[@]}"
start pairs-one 1 && finish pairs-one
expected=$(fingerprint pairs-one)
rollout_is_trainer pairs-one 6
known pairs-one cabc955bc9909e87b2a807dd9b53369e10e97128f30d519331c9d4af1e926ea6
make_run pairs-two 2 2 "${pairs[@]}" --set grpo.micro_tokens=30 --set overlap=always
start pairs-two 2 && finish pairs-two
same pairs-two
rm -r pairs-two/checkpoints/step-000003 pairs-two/checkpoints/last
start pairs-two 2 --resume && finish pairs-two
same pairs-two
for set in avx2 avx2_words avx512 avx512_bf16; do
  make_run "pairs-$set" 1 2 "${pairs[@]}" --set grpo.micro_tokens=1
  COMPEER_ISA=$set start "pairs-$set" 1
  if wait "$!"; then same "pairs-$set"; else grep -q "COMPEER_ISA: is '$set', but this machine supports" "pairs-$set/log.txt" && echo "none    pairs-$set"; fi
done
expected=$grpo

# Killed when the log has 3 or 4 rows, between and at checkpoints (every second step). See also
# tests/reliability/kills.sh.
for rows in 3 4; do
  name=killed-$rows
  make_run "$name" 2 1
  start "$name" 2
  group=$!
  until [[ $(grep -o '"step":[0-9]*' "$name/status.json" 2>/dev/null | head -1 | cut -d: -f2 || true) -ge $rows ]]; do
    kill -0 "$group" 2>/dev/null || break # it may have finished already
  done
  kill -9 -- "-$group" 2>/dev/null || true
  wait "$group" 2>/dev/null || true
  start "$name" 2 --resume && finish "$name"
  same "$name"
done
