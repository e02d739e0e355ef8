#!/usr/bin/env bash
# The tutorial, as it stands: its commands are run in the order of the page, its files written, and what it says is
# printed must be printed.   usage: tutorial_test.sh PAGE TREE FOLDER
# FOLDER stays the same from time to time, so that a compiler cache knows what was compiled there.
# shellcheck source=tests/install/claims.sh
source "$(dirname "${BASH_SOURCE[0]}")/claims.sh"
page=$1 tree=$2 folder=$3 said=$work/said
rm -rf "$folder"
mkdir -p "$folder" blocks

# blocks/NN-sh to be run, NN-text to be found in what that printed, NN-FILE to be written. Others are for readers only.
sed "s|/opt/compeer|$tree|g" "$page" | awk '
  /^```/ && name { close(name); name = ""; next }
  /^```(sh|text)$/ || /^```(lua|cpp) ./ { name = sprintf("blocks/%02d-%s", ++count, $2 ? $2 : substr($1, 4)); next }
  /^```/ { name = "/dev/null"; next }
  name { print >name }'
(($(find blocks -name '*-sh' | wc -l) >= 5)) || fail "the page has no commands"

cd "$folder"
exec 5>&2
trap '(($? == 0)) || cat "$said" >&5; rm -rf "$work"' EXIT
for block in "$work"/blocks/*; do
  case $block in
    *-sh)   # may change folder and variables
      # shellcheck disable=SC1090
      source "$block" >"$said" 2>&1 ;;
    *-text)
      while read -r line; do
        grep -qF -- "${line%%...*}" "$said" || fail "the page says that this is printed: $line"
      done <"$block" ;;
    *) cp "$block" "${block##*/[0-9][0-9]-}" ;;
  esac
done

# last RUN COLUMN: its value in the last step.
last() {
  compeer log show "curious/results/$1" --json --last 1 --columns "$2" | sed "s|.*\"$2\":\[\([0-9.]*\)\].*|\1|"
}
reward=$(last curious rewards/curious/reward)
awk -v reward="$reward" 'BEGIN { exit !(reward > 1) }' || fail "the reward ends at $reward"
[[ -s curious/results/shouting.html ]] || fail "the study left no report"
