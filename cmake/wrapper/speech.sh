# shellcheck shell=bash
# How the wrapper speaks: to standard error, few lines, each with its name before it.

say() { printf 'compeer: %s\n' "$*" >&2; }

# stop WHAT [HELP]: ends the wrapper.
stop() {
  say "$1"
  [[ -z ${2:-} ]] || printf '  help: %s\n' "$2" >&2
  exit 1
}

# How far something is. On a terminal one line that is written over; elsewhere a line of its own.
show_progress() {
  if [[ -t 2 ]]; then printf '\r\033[Kcompeer: %.100s' "$*" >&2; else say "$*"; fi
}

end_progress() { [[ ! -t 2 ]] || printf '\r\033[K' >&2; }

# Seconds between two words about progress.
progress_interval() { if [[ -t 2 ]]; then echo 1; else echo 30; fi; }

# quietly LOG MEASURE COMMAND...: the command's output goes to the log, and the function MEASURE is asked now and then
# what to show. The command runs in the foreground, so that Ctrl-C reaches it.
quietly() {
  local log=$1 measure=$2 teller status=0
  shift 2
  keep_telling "$measure" "$log" &
  teller=$!
  "$@" >"$log" 2>&1 </dev/null || status=$?
  kill "$teller" 2>/dev/null || true
  wait "$teller" 2>/dev/null || true
  end_progress
  return "$status"
}

keep_telling() {
  local every
  every=$(progress_interval)
  # The pause must not keep the caller's pipes open once the wrapper has gone.
  while sleep "$every" >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
    show_progress "$("$1" "$2")"
  done
}

# hold DESCRIPTOR WHAT: takes the lock on an open file, saying so if somebody else has it.
hold() {
  flock --nonblock "$1" && return
  say "another compeer is $2; waiting for it"
  flock "$1"
}

# A Ctrl-C ends the wrapper even if the command that got it too chose to end in its own way.
trap 'exit 130' INT
