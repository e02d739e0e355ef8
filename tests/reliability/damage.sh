#!/usr/bin/env bash
# Truncated files and flipped bits: every file of a finished and of a killed run.
battery=damage
promise="A byte that is wrong or missing in a file of a run is found and named, or it makes no difference to what the run goes on to compute. Never a crash, never a resume from damaged state."
how="Of a finished run and of one that was killed, each file in turn has one bit flipped, then its end cut off, at every offset if it has up to 16 KiB (JSON), else at as many offsets, evenly spread and drawn by the seed, as the figures say. Each time all readers open the copy and writers resume it, in a child process. Then workers resume whole runs with a bit flipped somewhere. run.h5 has 0.5 MB of which readers trust a few bytes per row; what lies behind these has no effect."
source "$(dirname "${BASH_SOURCE[0]}")/scene.sh"
all=1000 # offsets per large file
TIMES=${TIMES:-$all}
damage=$BUILD/bin/reliability_damage

make_run whole
start whole 1 "FAULT_TRACE=$work/calls"
wait_for_end
((code == 0)) || { fault "the undisturbed run ends with $code" whole/log.txt; finish; }
make_run killed
start killed 1 FAULT_CALL=fsync FAULT_FILE=checkpoints/step-000003.part FAULT_COUNT=1 FAULT_WHAT=kill
wait_for_end
((code == 137)) || fault "the run to be killed ends with $code" killed/log.txt

# Uses a file system in memory, if there is one, because every trial syncs files.
place=$work
[[ -w /dev/shm ]] && place=$(mktemp -d /dev/shm/compeer-reliability.XXXXXX) && trap 'rm -rf "$place"; tidy' EXIT
for state in whole killed; do
  cp -a $state "$place/$state"
  rm -rf "$place/$state/checkpoints/step-000003.part" # incomplete; a run removes it when it starts
  [[ $state == whole ]] && rm -rf "$place/$state/checkpoints/step-000003"
  "$damage" "$place/$state" "$SEED" "$TIMES" "$all" >"$state.txt" 2>"$state.wrong" &
done
wait
tries=0 of=0
for state in whole killed; do
  while read -r line; do fault "$state run: $line"; done < <(head -n 20 "$state.wrong")
  while IFS=$'\t' read -r kind text; do
    if [[ $kind == tried ]]; then tries=$((tries + ${text% *})) of=$((of + ${text#* })); else figure "$state run: $kind" "$text"; fi
  done <"$state.txt"
  [[ $(head -n 1 "$state.txt") == tried* ]] || fault "$state run: the damage ended early"
done

# End to end: the worker resumes.
same=0 named=0
for ((i = 0; i < (TIMES < 100 ? 2 : 25); ++i)); do
  rm -rf run && cp -a killed run
  mapfile -t files < <(cd run && find . -type f ! -name log.txt ! -name .lock | sort)
  below "${#files[@]}" && file=run/${files[REPLY]#./}
  size=$(stat -c %s "$file")
  ((size > 0)) || continue
  below "$size" && at=$REPLY
  below 8 && bit=$REPLY
  byte=$(od -An -tu1 -j "$at" -N 1 "$file")
  printf "\\x$(printf %02x $((byte ^ (1 << bit))))" | dd of="$file" bs=1 seek="$at" conv=notrunc status=none
  title="${file#run/}, bit $bit of byte $at"
  start run 1 -- --resume
  wait_for_end
  no_orphans "$title"
  if ((code == 0)); then
    same=$((same + 1))
    [[ $(cd run/checkpoints/last && sha256sum ./*.safetensors) == "$(cd whole/checkpoints/last && sha256sum ./*.safetensors)" ]] ||
      fault "$title: goes on, to other bits" run/log.txt
  elif ((code == 3 || code == 4)); then
    named=$((named + 1))
    grep -q "^compeer: .*${file##*/}" run/log.txt || fault "$title: the message does not name the file" run/log.txt
  else
    fault "$title: ends with $code" run/log.txt
  fi
done
tried "$tries" "$of" "damaged files"
figure "resumes of whole runs with a flipped bit: to the same weights" "$same"
figure "the same: refused with the file's name (exit code 3 or 4)" "$named"
figure "crashes, hangs, resumes from damaged state" "${#wrong[@]}"
finish
