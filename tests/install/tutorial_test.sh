#!/usr/bin/env bash
# The plugin tutorial: runs its commands in the order of the page, writes its files, and checks that the output that it
# shows is printed. Use the same FOLDER each time, so that a compiler cache recognizes the files.
#   usage: tutorial_test.sh PAGE TREE FOLDER
# shellcheck source=tests/install/claims.sh
source "$(dirname "${BASH_SOURCE[0]}")/claims.sh"
page=$1 tree=$2 folder=$3 said=$work/said
rm -rf "$folder"
mkdir -p "$folder" blocks

# blocks/NN-sh is run, NN-text must be in its output, NN-FILE is written. Other blocks are skipped.
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
    *-sh)   # sourced, because it may change the folder and variables
      # shellcheck disable=SC1090
      source "$block" >"$said" 2>&1 ;;
    *-text)
      while read -r line; do
        grep -qF -- "${line%%...*}" "$said" || fail "the page says that this is printed: $line"
      done <"$block" ;;
    *) cp "$block" "${block##*/[0-9][0-9]-}" ;;
  esac
done

# last RUN COLUMN: prints the column's value in the last step.
last() {
  compeer log show "curious/results/$1" --json --last 1 --columns "$2" | sed "s|.*\"$2\":\[\([0-9.]*\)\].*|\1|"
}
reward=$(last curious rewards/curious/reward)
awk -v reward="$reward" 'BEGIN { exit !(reward > 1) }' || fail "the reward ends at $reward"
[[ -s curious/results/shouting.html ]] || fail "the study left no report"
