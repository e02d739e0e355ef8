#!/usr/bin/env bash
# A disk or file server with failing reads, at every call that reads.
battery=reads
promise="A read, open, close or mapping that the system fails ends a run or command with exit code 1 and a message that names file and cause, and the run goes on later to the bits of an undisturbed one."
how="Of the calls that read, open for reading, map or close a file, some 120 of each list, evenly spaced, fail once with EIO, ESTALE or EMFILE: in a run, in one that goes on, in one with a model and prompts of its own, and in commands that read; files of plugins and tokenizers count, too."
source "$(dirname "${BASH_SOURCE[0]}")/scene.sh"
TIMES=${TIMES:-120} # calls per list, of some 2,700; two to five seconds each

readers="FAULT_READS=$work:$SOURCE:$BUILD"
make_run whole
start whole 1 "FAULT_TRACE=$work/calls"
wait_for_end
((code == 0)) || { fault "the undisturbed run ends with $code" whole/log.txt; finish; }

# The calls of a list that read, open for reading, map or close a file and fail once: one of each kind and, in the full
# battery, about TIMES more, evenly spaced.
declare -A ways=([read]="eio estale" [open]="eio estale emfile" [close]="eio estale" [mmap]=eio)
declare -A texts=([eio]="Input/output error" [estale]="Stale file handle" [emfile]="Too many open files")
numbers() { # TRACE: sets $chosen to the numbers of these calls
  mapfile -t lines < <(grep '^reading ' "$1")
  chosen=("${!lines[@]}")
  ((TIMES >= ${#lines[@]})) && return
  chosen=()
  local call which
  for call in "${!ways[@]}"; do
    mapfile -t which < <(printf '%s\n' "${lines[@]}" | grep -n "^reading $call " | cut -d: -f1)
    ((${#which[@]} > 0)) && below "${#which[@]}" && chosen+=("$((which[REPLY] - 1))")
  done
  ((TIMES > 10)) || return 0
  local at stride=$((${#lines[@]} / TIMES + 1))
  below "$stride"
  for ((at = REPLY; at < ${#lines[@]}; at += stride)); do chosen+=("$at"); done
}
plan() { # NUMBER: sets $place to variables for the preloaded library
  local causes
  read -ra causes <<<"${ways[$(cut -d' ' -f2 <<<"${lines[$1]}")]}"
  below "${#causes[@]}"
  what=${causes[REPLY]}
  rm -f hit
  place=("$readers" "FAULT_TRACE=$work/hit" "FAULT_READ=$(($1 + 1))" "FAULT_WHAT=$what")
}
# Checks the run after a fault: the exit code is 0 or 1; if it is 1, the texts name the file and the cause.
judge() { # WHERE TEXT...
  local where=$1 met file
  shift
  met=$(grep -m 1 '^fault ' hit | cut -d' ' -f2-)
  file=$(sed -E 's|.*/||; s|(\.[0-9]+)?\.part$||' <<<"$met")
  title="$what: $met, in $where"
  if ((code == 0)); then
    unharmed=$((unharmed + 1))
  elif ((code != 1)); then
    fault "$title: ends with $code" "$1"
  elif cat "$@" | grep -F -- "$file" | grep -q "${texts[$what]}"; then
    refused=$((refused + 1))
  else
    fault "$title: the message does not name file and cause" "$1"
  fi
}
# fail_reads FOLDER REFERENCE [-- --resume]: runs from this state of a run folder, with failing reads.
fail_reads() {
  local from=$1 reference=$2 number
  shift 2
  cp -a "$from" run
  start run 1 "$readers" "FAULT_TRACE=$work/readings-$from" "$@"
  wait_for_end
  ((code == 0)) || fault "the undisturbed run from $from ends with $code" run/log.txt
  rm -rf run
  numbers "readings-$from"
  for number in "${chosen[@]}"; do
    plan "$number"
    cp -a "$from" run
    start run 1 "${place[@]}" "$@"
    wait_for_end
    judge "a run from $from" run/log.txt
    no_orphans "$title"
    ((code != 0)) || [[ $(fingerprint run) == "$(fingerprint "$reference")" ]] || fault "$title: passes, with other bits"
    readable run "$reference" "$title"
    goes_on run 1 "$reference" "$title"
    rm -rf run
  done
}
refused=0 unharmed=0
mkdir new && cp whole/spec.json new
# A run that was killed before its last checkpoint was renamed to its final name.
mkdir begun && cp whole/spec.json begun
start begun 1 FAULT_RANK=0 FAULT_CALL=rename "FAULT_FILE=$(awk '$2 == "rename" && /step-000004/ {print $3}' calls | tail -n 1)" \
  FAULT_COUNT=1 FAULT_WHAT=kill
wait_for_end
((code == 137)) || fault "a run that is killed ends with $code" begun/log.txt
: >begun/log.txt
for i in {1..20}; do echo "{\"prompt\": \"i feel sad, number $i\", \"reference\": \"tell me more\"}"; done >prompts.jsonl
make_run own --set "model.path=$work/whole/checkpoints/step-000004" --set dataset.plugin=prompts \
  --set "dataset.path=$work/prompts.jsonl" --set 'rewards=[{plugin="length", target=4}]' --set grpo.steps=1
mkdir own-new && cp own/spec.json own-new
start own 1
wait_for_end
((code == 0)) || fault "the undisturbed run of a model and prompts of its own ends with $code" own/log.txt
fail_reads new whole
fail_reads begun whole -- --resume
fail_reads own-new own
figure "runs that a failing read ended with exit code 1, file and cause, and that went on later" "$refused"
figure "failing reads that made no difference to a run" "$unharmed"

refused=0 unharmed=0
for command in "resolve $SOURCE/tests/reliability/toy.toml --json" "log show whole" "log export whole --csv -" "log verify whole" \
    "about whole/checkpoints/last" "plugins list" "plugins inspect datasets/esc_world" "report whole --output page.html"; do
  read -ra words <<<"$command"
  env "$readers" "FAULT_TRACE=$work/readings" "LD_PRELOAD=$faults" "$compeer" "${words[@]}" >expected.txt 2>error.txt ||
    fault "$command fails" error.txt
  numbers readings
  rm readings
  for number in "${chosen[@]}"; do
    plan "$number"
    env "${place[@]}" "LD_PRELOAD=$faults" "$compeer" "${words[@]}" >said.txt 2>error.txt
    code=$?
    judge "compeer $command" error.txt said.txt
    ((code != 0)) || cmp -s expected.txt said.txt || fault "$title: passes, with another output" error.txt
  done
done
figure "commands that a failing read ended with exit code 1, file and cause" "$refused"
figure "failing reads that made no difference to a command" "$unharmed"

tried "$((refused + unharmed))" "$((refused + unharmed))" "failing reads of commands"
figure "other ends, other messages, other bits" "${#wrong[@]}"
finish
