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

# Lives no longer than the wrapper, and keeps neither its lock nor its caller's pipes.
keep_telling() {
  local every last=$SECONDS
  every=$(progress_interval)
  exec 9>&-
  while sleep 1 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
    ((SECONDS - last >= every)) || continue
    show_progress "$("$1" "$2")"
    last=$SECONDS
  done
}

# lock FILE WHAT: one wrapper at a time does what is meant, the others say so and wait. One lock at a time, on descriptor
# 9; commands that run meanwhile inherit it, so what outlives a killed wrapper still keeps others away.
lock() {
  exec 9>"$1"
  flock --nonblock 9 && return
  say "another compeer is $2; waiting for it"
  flock 9
}

unlock() { exec 9>&-; }

# A Ctrl-C ends the wrapper even if the command that got it too chose to end in its own way.
trap '[[ ! -t 2 ]] || echo >&2; exit 130' INT

# Nothing ends the wrapper without a word: what no one foresaw says where it was.
set -E
trap 'say "unexpected failure at ${BASH_SOURCE[0]}:$LINENO"' ERR
