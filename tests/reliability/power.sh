#!/usr/bin/env bash
# A power failure at any moment: builds disks as it may leave them, and resumes each run.
battery=power
promise="After a power failure at any moment a run resumes, and ends with the bits of an undisturbed one."
how="A preloaded library records all writes, fsyncs and renames of undisturbed runs (grpo over one and two ranks, sft, evaluate, data). From the record disks are built as a power failure at a moment drawn by a seed may leave them: what was synced, and of the rest nothing, everything, all before some moment, some files or some blocks of 4 KiB. log verify accepts each of them, the run is resumed, and its end is compared."
source "$(dirname "${BASH_SOURCE[0]}")/scene.sh"
all=500
TIMES=${TIMES:-$all}
toy=$SOURCE/tests/reliability/toy.toml

{
  sed -e '/^\[\[rewards/,/^\[checkpoint/{/^\[checkpoint/!d}' -e 's/"grpo"/"sft"/' "$toy"
  printf '\n[sft]\nbatch = 4\nsteps = 4\nlr = 1e-2\n'
} >sft.toml
{
  sed -e '/^\[grpo/,$d' -e 's/"grpo"/"evaluate"/' "$toy"
  printf '[evaluate]\nsplit = "test"\nprompts = 12\nbatch = 4\ngroup_size = 2\n'
} >evaluate.toml
cat >data.toml <<'TOML'
name = "cer"
task = "data"
[dataset]
plugin = "esc_world"
unit = "dialogue"
rounds = 4
train = 12
[data]
splits = ["train"]
concurrency = 2
[[stages]]
plugin = "sample"
rounds = 2
[[stages]]
plugin = "generate"
writer.plugin = "esc_world"
writer.world.rounds = 4
[[stages]]
plugin = "deduplicate"
TOML

# Prints what must be the same in every run of a spec.
ended_as() { # NAME
  case $1 in
    *data*) (cd "$1/stages" && sha256sum ./*.jsonl) ;;
    *evaluate*) "$contents" "$1" ;;
    *) fingerprint "$1" ;;
  esac
}
# record_run SCENE RANKS SPEC: makes an undisturbed run in SCENE/whole/run, and records what it did to SCENE/whole.
record_run() {
  mkdir -p "$1/before"
  TOY=$3 make_run "$1/before/run" --set "ranks=$2"
  cp -a "$1/before" "$1/whole"
  start "$1/whole/run" "$2" "FAULT_RECORD=$work/$1/record" "FAULT_FOLDER=$work/$1/whole"
  wait_for_end
  ((code == 0)) || { fault "the undisturbed run of $1 ends with $code" "$1/whole/run/log.txt"; finish; }
}

scenes=(grpo-1 grpo-2 sft-1 evaluate-1 data-1)
declare -A specs=([grpo]=$toy [sft]=$work/sft.toml [evaluate]=$work/evaluate.toml [data]=$work/data.toml)
for scene in "${scenes[@]}"; do record_run "$scene" "${scene##*-}" "${specs[${scene%-*}]}"; done

failures=0
for ((i = 0; i < TIMES && ${#wrong[@]} < 20; ++i)); do
  scene=${scenes[i % ${#scenes[@]}]}
  rm -rf "$scene/after"
  if ! title="$scene, state $i: $("$BUILD/bin/reliability_power" "$scene/record" "$scene/before" "$scene/after" $((SEED * 1000003 + i)))"; then
    fault "$scene: the disk of state $i can't be built"
    continue
  fi
  run=$scene/after/run
  failures=$((failures + 1))
  if [[ -f $run/run.h5 ]] && ! "$compeer" log verify "$run" >verify.txt 2>&1; then fault "$title: log verify is not content" verify.txt; fi
  before=${#wrong[@]}
  start "$run" "${scene##*-}" -- --resume
  wait_for_end
  if ((code != 0)); then
    fault "$title: resuming ends with $code" "$run/log.txt"
  else
    [[ $(ended_as "$run") == "$(ended_as "$scene/whole/run")" ]] || fault "$title: ends with other bits"
    "$compeer" log verify "$run" >verify.txt 2>&1 || fault "$title: log verify is not content at the end" verify.txt
  fi
  ((${#wrong[@]} > before)) && [[ ${KEEP:-} ]] && cp -a "$scene/after" "$scene/state-$i"
done
tried "$failures" "$all" "power failures"
for scene in "${scenes[@]}"; do
  figure "operations recorded of $scene" "$("$BUILD/bin/reliability_power" "$scene/record")"
done
figure "runs that did not resume, other bits, findings of log verify" "${#wrong[@]}"
finish
