#!/usr/bin/env bash
# A row of the page says how many tries stand behind it.   usage: page_test.sh PROGRAM
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# figures NAME TRIES FULL WRONG [WHY SKIPPED]
figures() {
  printf '{"battery":"%s","promise":"p","how":"h","date":"2026-01-02","commit":"abc","seed":3,"seconds":9,"skipped":"%s","tries":%d,"full":%d,"unit":"tries","wrong":%d,"figures":[]}' \
    "$1" "${5:-}" "$2" "$3" "$4" >"$work/$1.json"
}
figures kills 200 200 0
figures damage 20 3000 0
figures disk 20 90 2
figures network 0 3 0 "no right | to make hosts"
"$1" "$work" >"$work/page.md"
diff - <(grep '^|' "$work/page.md") <<'TABLE'
| battery | last run | tries | result |
|---|---|---|---|
| kill -9 | 2026-01-02 | 200 tries | holds |
| Torn and flipped bytes | 2026-01-02 | **smaller than full size**: 20 of 3000 tries | holds |
| Full and failing disks | 2026-01-02 | **smaller than full size**: 20 of 90 tries | **2 times not so** |
| The network between hosts | 2026-01-02 | none | skipped: no right \| to make hosts |
TABLE
grep -qx '2026-01-02, commit abc, seed 3, 9 s, \*\*smaller than full size\*\*: 20 of 3000 tries: holds.' "$work/page.md"
