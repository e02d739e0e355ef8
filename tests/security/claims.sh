# shellcheck shell=bash disable=SC2034
# Setup shared by the tests of this folder: a temporary working directory, and checks that print their name on failure.
source_dir=$1 build_dir=$2
work=$(mktemp -d -t compeer-security.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export COMPEER_HOME=$source_dir NO_COLOR=1 XDG_CACHE_HOME=$work/cache XDG_DATA_HOME=$work/data
unset COMPEER_PLUGIN_PATH COMPEER_LOCKED
compeer=$build_dir/bin/compeer
smoke=$source_dir/experiments/smoke_grpo.toml

fail() {
  printf 'failed: %s\n' "$*" >&2
  exit 1
}

# exits CODE COMMAND...: runs it, checks its exit code and sets $said to its output.
exits() {
  local wanted=$1 code=0
  shift
  said=$("$@" 2>&1) || code=$?
  [[ $code -eq $wanted ]] || fail "'$*' ended with $code, not $wanted: $said"
}

# says TEXT: checks that the last command's output contains it.
says() { [[ $said == *"$1"* ]] || fail "'$1' is not in: $said"; }
