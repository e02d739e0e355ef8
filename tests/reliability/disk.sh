#!/usr/bin/env bash
# A full or failing disk, at every kind of call that changes a file.
battery=disk
promise="A full or failing disk ends the run with exit code 1 and a message that names the file. What was written before stays good, and once there is room the run goes on to the bits of an undisturbed one."
how="Of every kind of call (by function and file) that an undisturbed run makes, one is drawn by a seed: the disk is full from there on; one call alone fails with EIO; one write is cut short or interrupted, which must make no difference. Every kind of fsync fails once. Where mounting is allowed, runs also live on a tmpfs that is too small at sizes drawn by the seed."
source "$(dirname "${BASH_SOURCE[0]}")/scene.sh"
TIMES=${TIMES:-1000} # maximum number of kinds of call

make_run whole
start whole 1 "FAULT_TRACE=$work/calls"
wait_for_end
((code == 0)) || { fault "the undisturbed run ends with $code" whole/log.txt; finish; }
mapfile -t kinds < <(kinds_in calls | shuf --random-source=<(yes "$SEED"))

ended=0 tolerated=0
# Runs with the fault of $place: the run must end with an error that names the file, or pass unharmed.
try() { # NAME MUST_PASS
  mkdir "$1" && cp whole/spec.json "$1"
  start "$1" 1 "${place[@]}"
  wait_for_end
  no_orphans "$title"
  if ((code == 0)); then
    tolerated=$((tolerated + 1))
    [[ $(fingerprint "$1") == "$(fingerprint whole)" ]] || fault "$title: passes, with other bits"
  elif ((code == 1)) && [[ $2 == no ]]; then
    ended=$((ended + 1))
    # If the disk stays full, the error may name another file.
    local file=${place[2]#FAULT_FILE=}
    file=${file##*/} file=${file%%.PID*} file=${file%.part}
    [[ $title == full:* ]] && file='.*No space left on device'
    grep -q "^compeer: .*$file" "$1/log.txt" || fault "$title: the message does not name the file" "$1/log.txt"
  else
    fault "$title: ends with $code" "$1/log.txt"
  fi
  readable "$1" whole "$title"
  goes_on "$1" 1 whole "$title"
  rm -rf "$1"
}
for kind in "${kinds[@]:0:TIMES}"; do
  call=${kind%% *}
  [[ $call =~ ^(rename|unlink|fsync)$ ]] || { draw calls full "$kind"; try run no; }
  draw calls eio "$kind" && try run no
  if [[ $call == write ]]; then
    below 2
    if ((REPLY)); then draw calls short "$kind"; else draw calls eintr "$kind"; fi
    try run yes
  fi
done
tried "$((TIMES < ${#kinds[@]} ? TIMES : ${#kinds[@]}))" "${#kinds[@]}" "kinds of call"
figure "kinds of call that are a fsync" "$(printf '%s\n' "${kinds[@]}" | grep -c '^fsync')"
figure "runs that ended with exit code 1 and the file's name, and went on later" "$ended"
figure "faults that made no difference" "$tolerated"

# A file system that is really full.
mkdir small
if mount -t tmpfs -o size=4m none small 2>/dev/null; then
  trap 'umount "$work/small" 2>/dev/null; tidy' EXIT
  full=0
  for ((i = 0; i < (TIMES < 8 ? 2 : 8); ++i)); do
    below 1300
    mount -o "remount,size=$((200 + REPLY))k" small
    mkdir small/run && cp whole/spec.json small/run
    start small/run 1
    wait_for_end
    title="a tmpfs of $((200 + REPLY)) KiB"
    if ((code == 1)); then full=$((full + 1)); elif ((code != 0)); then fault "$title: ends with $code" small/run/log.txt; fi
    readable small/run whole "$title"
    mount -o remount,size=8m small
    goes_on small/run 1 whole "$title"
    rm -rf small/run
  done
  figure "runs that filled a real tmpfs and went on later" "$full"
else
  figure "a real tmpfs" "skipped: mounting is not allowed here"
fi
figure "other ends, other messages, other bits" "${#wrong[@]}"
finish
