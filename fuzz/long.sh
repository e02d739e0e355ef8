#!/usr/bin/env bash
# Feeds every reader of files with mutated input for hours, and keeps the smallest inputs that lead to new places in
# fuzz/grown/, from which fuzz/run.sh begins. Commit them.
#
#   fuzz/long.sh [--hours 8] [--jobs 2] [NAME...]
set -euo pipefail
folder=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
hours=8 jobs=2
while [[ ${1:-} == --hours || ${1:-} == --jobs ]]; do
  declare "${1#--}=${2:?}"
  shift 2
done
targets=$#
((targets > 0)) || targets=$(grep -c '^compeer_fuzz(' "$folder/CMakeLists.txt")
seconds=$(awk -v hours="$hours" -v jobs="$jobs" -v targets="$targets" 'BEGIN { print int(hours * 3600 * jobs / targets) + 1 }')
exec "$folder/run.sh" --seconds "$seconds" --jobs "$jobs" --grow "$@"
