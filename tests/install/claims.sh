# shellcheck shell=bash
# Setup shared by the tests of an installed compeer: a temporary folder $work as the working directory, and an
# environment without the user's and the build's settings.
set -euo pipefail
work=$(mktemp -d -t compeer-install.XXXXXX)
trap 'rm -rf "$work"' EXIT
for name in ${!COMPEER_*} CMAKE_PREFIX_PATH XDG_DATA_HOME LD_LIBRARY_PATH; do unset "$name"; done
export CCACHE_DIR=${CCACHE_DIR:-$HOME/.cache/ccache}   # compiler cache of the user who runs the tests
export HOME=$work/home XDG_CACHE_HOME=$work/home/.cache
mkdir -p "$HOME" "$XDG_CACHE_HOME"
cd "$work"

fail() { echo "FAILED  $1"; exit 1; }

# quietly NAME COMMAND...: runs it and prints its output only if it fails.
quietly() {
  local name=$1 code=0
  shift
  "$@" >"$work/$name.log" 2>&1 || code=$?
  ((code == 0)) || { cat "$work/$name.log"; fail "$name: '$*' ended with $code"; }
}
