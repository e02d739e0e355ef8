# shellcheck shell=bash
# Functions shared by the wrapper's tests. Each test runs a part of the wrapper in its own process, inside the temporary
# folder $work, and checks its exit code and its messages.
set -u

root=$1
work=$(mktemp -d -t compeer-wrapper.XXXXXX)
trap 'rm -rf "$work"' EXIT
for name in ${!COMPEER_*} ${!PIP_*} CMAKE_PREFIX_PATH XDG_CACHE_HOME; do unset "$name"; done
export HOME=$work/home
mkdir -p "$HOME" "$work/bin"

failures=0

# ask COMMANDS: runs them with the wrapper's functions loaded; sets code, out and err.
ask() {
  code=0
  bash -c 'set -euo pipefail; root=$1; for part in speech packages libtorch build; do
             source "$root/cmake/wrapper/$part.sh"; done; eval "$2"' - "$root" "$1" \
    >"$work/out" 2>"$work/err" </dev/null || code=$?
  out=$(<"$work/out") err=$(<"$work/err")
}

claim() {
  local name=$1
  shift
  if "$@"; then
    echo "ok      $name"
  else
    failures=$((failures + 1))
    printf 'FAILED  %s: %s\n  code %s\n  out: %s\n  err: %s\n' "$name" "$*" "${code-}" "${out-}" "${err-}"
  fi
}

equal() { [[ $1 == "$2" ]]; }
contains() { [[ $1 == *"$2"* ]]; }
silent() { [[ -z $out$err && $code == 0 ]]; }

# fake NAME BODY: writes a program that is found on PATH before the real one.
fake() {
  printf '#!/usr/bin/env bash\n%s\n' "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}

finish() {
  ((failures == 0)) || echo "$failures claims do not hold"
  exit $((failures > 0))
}
