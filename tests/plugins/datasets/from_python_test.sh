#!/usr/bin/env bash
# The Python code of docs/prompts.md, on a small parquet file: compeer reads every record that it writes.
# usage: from_python_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1 build=$2
work=$(mktemp -d -t compeer-from-python.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"
export COMPEER_HOME=$source_dir HF_HOME=$work/hub HF_HUB_OFFLINE=1 HF_HUB_DISABLE_TELEMETRY=1

fail() { echo "FAILED  $1"; exit 1; }
has() { python3 -c "import $1" 2>/dev/null; }
has pyarrow || { echo "skipped: python3 here has no pyarrow, which writes parquet files"; exit 77; }

awk '/^```python$/ { name = sprintf("recipe-%d.py", ++count); next } /^```/ { name = "" } name { print >name }' \
  "$source_dir/docs/prompts.md"
libraries=$(sed -n 's/^\(import\|from\) \([a-z]*\) .*/\2/p' recipe-*.py | xargs)
[[ $libraries == "pandas datasets" ]] || fail "docs/prompts.md has not one block of Python for pandas and then one for datasets"

# 40 rows, some without a reference, and a column that no record uses.
python3 - <<'PYTHON'
import pyarrow, pyarrow.parquet
rows = [{"prompt": f"Frage {i}:\n\"größer/kleiner\"? 悲伤", "reference": None if i % 4 == 0 else f"Ja, {i}.", "topic": i} for i in range(40)]
pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), "x.parquet")
PYTHON

ran=0
for recipe in recipe-*.py; do
  library=$(sed -n '1s/^\(import\|from\) \([a-z]*\) .*/\2/p' "$recipe")
  has "$library" || { echo "not run: python3 here has no $library"; continue; }
  rm -f prompts.jsonl
  python3 "$recipe" >"$recipe.log" 2>&1 || { cat "$recipe.log"; fail "the lines for $library do not run"; }
  "$build/bin/compeer" data stats prompts --set path=prompts.jsonl --json >stats.json || fail "what $library writes is not read"
  python3 - <<'PYTHON' || fail "what $library writes is not read as it was"
import json
read = json.load(open("stats.json"))["sources"][0]
assert read["dialogues"] == 40 and read["unreadable"] == [], read
assert read["turns_by_role"] == {"seeker": 40, "supporter": 30}, read
assert read["length_of_turns"]["seeker"] == {"min": 4, "mean": 4, "max": 4}, read  # Frage 7: "größer/kleiner"? 悲伤
PYTHON
  grep -q 悲伤 prompts.jsonl || fail "$library writes other characters than it read"
  ran=$((ran + 1))
done
((ran > 0)) || { echo "skipped: python3 here has neither pandas nor datasets"; exit 77; }
