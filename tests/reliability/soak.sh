#!/usr/bin/env bash
# A long run with concurrent readers: does memory, or the number of descriptors or threads, grow?
battery=soak
promise="In a run of many steps, with rollouts recorded and live readers, memory, descriptors and threads of a rank stay as they are."
how="A tiny run over many steps, while readers open, export and close its log over and over. Memory, descriptors and threads of the worker are read from /proc twice a second, until it closes its files at the end. The slope of memory is that of a straight line (least squares) through the second half; it must be less than 50 bytes a step."
source "$(dirname "${BASH_SOURCE[0]}")/scene.sh"
all=20000 # steps
TIMES=${TIMES:-$all}
BOUND=${BOUND:-50} # bytes of memory per step
PATIENCE=7200

make_run long --set "grpo.steps=$TIMES" --set grpo.batch=1 --set sampling.max_new_tokens=2 --set checkpoint.every=2000 --set grpo.beta=0
export GLIBC_TUNABLES=${GLIBC_TUNABLES-$(soak_tunables)}
begun=$SECONDS
start long 1
pid=$group
(
  until [[ -f long/run.h5 ]]; do sleep 0.1; done
  reads=0
  while kill -0 "$pid" 2>/dev/null; do
    "$compeer" log export long --csv - >/dev/null 2>reader.txt && reads=$((reads + 1)) || cat reader.txt >>readers.txt
    "$compeer" log show long --last 3 >/dev/null 2>>readers.txt
    echo "$reads" >reads
    sleep 0.5
  done
) &
reader=$!
(
  while [[ -d /proc/$pid/fd ]]; do
    step=$(grep -o '"step":[0-9]*' long/status.json 2>/dev/null | head -1 | cut -d: -f2)
    rss=$(awk '/VmRSS/ { print $2 }' "/proc/$pid/status" 2>/dev/null)
    threads=$(awk '/Threads/ { print $2 }' "/proc/$pid/status" 2>/dev/null)
    files=$(ls "/proc/$pid/fd" 2>/dev/null | wc -l)
    ((step < TIMES)) && [[ $step && $rss ]] && echo "$step $rss $files $threads" >>samples
    sleep 0.5
  done
) &
sampler=$!
wait_for_end
wait "$reader" "$sampler" 2>/dev/null
((code == 0)) || fault "the run ends with $code" long/log.txt
grep -q error readers.txt 2>/dev/null && fault "a reader complained" readers.txt

# slope COLUMN: prints the slope per step over the samples of the second half, and the first and last value of that
# half.
slope() {
  awk -v c="$1" -v half="$((TIMES / 2))" '
    $1 >= half { n++; x += $1; y += $c; xx += $1 * $1; xy += $1 * $c; if (n == 1) first = $c; last = $c }
    END { if (n < 3) print "0 ? ?"; else printf "%.6f %d %d\n", (n * xy - x * y) / (n * xx - x * x), first, last }' samples
}
read -r memory low high < <(slope 2)
bytes=$(awk -v m="$memory" 'BEGIN { printf "%.1f", m * 1024 }')
# In its first thousands of steps the memory of a process still grows to its final size.
((TIMES < 10000)) || awk -v b="$bytes" -v bound="$BOUND" 'BEGIN { exit !(b < bound) }' || fault "memory grows by $bytes bytes a step"
tried "$TIMES" "$all" steps
figure "seconds" "$((SECONDS - begun))"
figure "times that a reader opened and exported the log meanwhile" "$(<reads)"
figure "samples" "$(wc -l <samples)"
figure "resident memory, from the middle to the end" "$low to $high KiB: $bytes bytes a step"
for kind in "3 descriptors" "4 threads"; do
  read -r column name <<<"$kind"
  read -r grows low high < <(slope "$column")
  awk -v g="$grows" -v n="$TIMES" 'BEGIN { exit !(g * n < 1) }' || fault "$name grow from $low to $high"
  figure "$name, from the middle to the end" "$low to $high"
done
finish
