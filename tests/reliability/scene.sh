# Functions shared by the batteries: toy runs, fault injection, checks, figures. Sourced; BUILD, SOURCE, SEED, TIMES and
# OUT (a folder for figures) come from battery.sh.
set -uo pipefail
BUILD=${BUILD:?}; SOURCE=${SOURCE:?}; SEED=${SEED:-1}; OUT=${OUT:-}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 OMP_NUM_THREADS=1
export COMPEER_HOME=$SOURCE COMPEER_PLUGIN_PATH=$BUILD/plugins
# Toy runs take seconds, so a run of a minute hangs. The toy's own watchdog fires after 20 s.
PATIENCE=${PATIENCE:-180}
compeer=$BUILD/bin/compeer worker=$BUILD/bin/compeer-worker
contents=$BUILD/bin/run_contents faults=$BUILD/lib/reliability_faults.so

work=$(mktemp -d -t compeer-reliability.XXXXXX)
mark=RELIABILITY_MARK=$$-$RANDOM
export "${mark?}"
started=$SECONDS
wrong=() figures=() stands_on=(0 0 tries)
RANDOM=$((SEED % 32768))

# Prints processes with this battery's mark in their environment, except this shell and its current children.
left_behind() {
  local file pid
  for file in /proc/[0-9]*/environ; do
    pid=${file#/proc/} pid=${pid%/environ}
    [[ $(cat "/proc/$pid/comm" 2>/dev/null) =~ ^(compeer|compeer-worker|mpirun|orted|worker_stub)$ ]] || continue
    grep -qsz "^$mark$" "$file" && echo "$pid"
  done
}
tidy() {
  [[ $BASHPID == "$$" ]] || return
  local pid
  for pid in $(left_behind); do kill -9 "$pid" 2>/dev/null; done
  [[ ${KEEP:-} ]] && echo "kept: $work" || rm -rf "$work"
}
trap tidy EXIT
trap 'exit 130' INT TERM
cd "$work" || exit 1
# Replacement functions that are not exported would not be called, and no fault would occur.
if hidden=$(nm "$faults" | grep -E ' t (open|fopen|fclose|fflush|write|read|mmap|rename|fsync|clock_gettime|gettimeofday)(64)?$'); then
  echo "$faults does not export $(awk '{ print $3 }' <<<"$hidden" | paste -sd ' ')" >&2
  exit 1
fi

skip() { echo "skipped: $1"; [[ $OUT ]] && write_figures "$1"; exit 77; }
fault() { wrong+=("$1"); echo "FAILED  $1"; [[ -f ${2:-} ]] && tail -n 15 "$2" | sed 's/^/        /'; }
figure() { figures+=("$1" "$2"); }
# tried TRIES FULL UNIT: records the number of trials behind the result, and that of the full battery.
tried() { stands_on=("$@"); }

# below N: sets REPLY to a number below N, drawn from the seed.
below() { local n=$((RANDOM * 32768 + RANDOM)); REPLY=$((n % $1)); }

# Prints the commit, and whether the sources differ from it.
source_state() {
  local state
  state=$(git -C "$SOURCE" rev-parse --short=10 HEAD 2>/dev/null) || return 0
  git -C "$SOURCE" diff --quiet HEAD -- . ':!tests/reliability/figures' || state+=" and changes"
  echo "$state"
}
quoted() { local text=${1//\\/\\\\}; printf '"%s"' "${text//\"/\\\"}"; }
write_figures() { # [WHY SKIPPED]
  {
    printf '{\n "battery": %s,\n "promise": %s,\n "how": %s,\n' "$(quoted "$battery")" "$(quoted "$promise")" "$(quoted "$how")"
    printf ' "date": "%s",\n "commit": "%s",\n' "$(date -u +%F)" "$(source_state)"
    printf ' "seed": %d,\n "seconds": %d,\n "skipped": %s,\n' "$SEED" $((SECONDS - started)) "$(quoted "${1:-}")"
    printf ' "tries": %d,\n "full": %d,\n "unit": %s,\n' "${stands_on[0]}" "${stands_on[1]}" "$(quoted "${stands_on[2]}")"
    printf ' "wrong": %d,\n "figures": [' "${#wrong[@]}"
    local i comma=
    for ((i = 0; i < ${#figures[@]}; i += 2)); do
      printf '%s\n  [%s, %s]' "$comma" "$(quoted "${figures[i]}")" "$(quoted "${figures[i + 1]}")"
      comma=,
    done
    printf '\n ]\n}\n'
  } >"$OUT/$battery.json"
}
finish() {
  [[ $OUT ]] && write_figures
  echo "$battery: $((${#figures[@]} / 2)) figures, ${#wrong[@]} wrong, $((SECONDS - started)) s"
  exit $((${#wrong[@]} > 0))
}

# make_run NAME [--set ...]: makes a run folder as the front end does.
make_run() {
  local name=$1
  shift
  rm -rf "$name"
  mkdir -p "$name"
  "$compeer" resolve "${TOY:-$SOURCE/tests/reliability/toy.toml}" "$@" --json >"$name/spec.json" || exit 1
}

# start NAME RANKS [FAULT=...]... [-- ARGUMENT...]: starts the worker in a process group of its own; sets $group to its
# number.
start() {
  local name=$1 ranks=$2 variables=() launcher=()
  shift 2
  while (($# > 0)) && [[ $1 != -- ]]; do variables+=("$1"); shift; done
  (($# > 0)) && shift
  ((${#variables[@]} > 0)) && variables=("FAULT_FOLDER=$work/$name" "LD_PRELOAD=$faults" "${variables[@]}")
  ((ranks > 1)) && launcher=(mpirun -q -n "$ranks" --oversubscribe --bind-to none)
  setsid "${launcher[@]}" env "${variables[@]}" "$worker" "$work/$name" "$@" >>"$name/log.txt" 2>&1 &
  group=$!
}

# Prints the kinds of call on the kinds of file in a trace, one per line; numbers in names are replaced.
kinds_in() { cut -d' ' -f2- "$1" | sed 's/[0-9]\{4,\}/N/g' | sort -u; }

# Draws a call from a trace: first the kind of call and file (a run has many more writes than renames), unless given,
# then a call of that kind. Sets $place to variables for the preloaded library.
draw() { # TRACE WHAT [KIND]
  local kind=${3:-} kinds numbers number line rank call file count
  if [[ -z $kind ]]; then
    mapfile -t kinds < <(kinds_in "$1")
    below "${#kinds[@]}"
    kind=${kinds[REPLY]}
  fi
  mapfile -t numbers < <(cut -d' ' -f2- "$1" | sed 's/[0-9]\{4,\}/N/g' | grep -nFx "$kind" | cut -d: -f1)
  below "${#numbers[@]}"
  number=${numbers[REPLY]}
  line=$(sed -n "${number}p" "$1")
  read -r rank call file <<<"$line"
  count=$(head -n "$number" "$1" | grep -cFx "$line")
  place=("FAULT_RANK=$rank" "FAULT_CALL=$call" "FAULT_FILE=$file" "FAULT_COUNT=$count" "FAULT_WHAT=$2")
  title="$2: $call $file, number $count, rank $rank"
}

# Sets $code to the exit code; 124 if the run hangs, that is, takes longer than PATIENCE.
wait_for_end() {
  local watcher ended
  # `wait -n` misses a job that had already ended when another was started.
  if ! kill -0 "$group" 2>/dev/null; then
    wait "$group" 2>/dev/null
    code=$?
    return
  fi
  sleep "$PATIENCE" &
  watcher=$!
  wait -n -p ended "$group" "$watcher" 2>/dev/null
  code=$?
  if [[ $ended == "$watcher" ]]; then
    code=124
    kill -9 -- "-$group"
    wait "$group" 2>/dev/null
  else
    kill -9 "$watcher"
    wait "$watcher" 2>/dev/null
  fi
}

no_orphans() { # WHAT
  local until=$((SECONDS + 30))
  until [[ -z $(left_behind) ]]; do
    if ((SECONDS > until)); then
      fault "$1: processes are left behind"
      kill -9 $(left_behind) 2>/dev/null
      return
    fi
    sleep 0.05
  done
}

# Prints what must be the same in every run of a spec: weights, optimizer, reference, rows except times, rollouts.
fingerprint() {
  (cd "$1/checkpoints/last" && sha256sum ./*.safetensors) && "$contents" "$1"
}
newest_checkpoint() {
  local newest=0 folder
  for folder in "$1"/checkpoints/step-??????; do [[ -d $folder ]] && newest=$((10#${folder##*-})); done
  echo "$newest"
}

# Checks what readers see of an interrupted run: the rows of the undisturbed run $2, and at most the step in flight is
# lost.
readable() { # NAME REFERENCE WHAT
  local rows=0 least found
  least=$(newest_checkpoint "$1")
  if [[ -f $1/run.h5 ]]; then
    if ! found=$("$contents" "$1" 2>&1); then
      fault "$3: readers say: $found"
      return
    fi
    rows=${found%% *}
    if [[ $(prefix "$1" "$rows") != "$(prefix "$2" "$rows")" ]]; then fault "$3: other rows than were written"; fi
    "$compeer" log export "$1" --csv - >/dev/null || fault "$3: log export fails"
    found=$("$compeer" log verify "$1" 2>&1) || fault "$3: log verify says: $(grep BAD <<<"$found" | head -1)"
  fi
  if ((rows < least)); then fault "$3: $rows rows, but step $least has a checkpoint"; fi
}
prefix() { "$contents" "$1" "$2" | cut -d' ' -f1,3; }

# Resumes the run and checks that it ends as the undisturbed one did.
goes_on() { # NAME RANKS REFERENCE WHAT
  start "$1" "$2" -- --resume
  wait_for_end
  if ((code != 0)); then
    fault "$4: resuming ends with $code" "$1/log.txt"
    return
  fi
  [[ $(fingerprint "$1") == "$(fingerprint "$3")" ]] || fault "$4: ends with other bits"
  local litter
  litter=$(find "$1" \( -name '*.part' -o -name '*.new' \) -printf '%P ')
  [[ -z $litter ]] || fault "$4: leaves $litter"
  "$compeer" log verify "$1" >verify.txt 2>&1 || fault "$4: log verify is not content" verify.txt
}

# Prints the allocator settings with which `compeer run` starts workers.
soak_tunables() { grep -o 'glibc[^"]*' "$SOURCE/runner/launch/worker_command.cpp" | tr -d '\n'; }
