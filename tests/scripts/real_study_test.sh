#!/usr/bin/env bash
# The study of real dialogues, with a tiny model in place of SmolLM2, a tiny encoder, and corpora with text made for
# this test: it names missing files, runs to the end, and doesn't repeat finished runs.
#   usage: real_study_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1 build=$2
work=$(mktemp -d -t compeer-real-study.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 COMPEER_HOME=$source_dir

fail() { echo "FAILED  $1"; exit 1; }
study() {
  local expected=$1 log=$2 code=0
  shift 2
  "$build/bin/compeer" run "$source_dir/scripts/real_study.lua" --quick "$@" >"$log.txt" 2>"$log.log" || code=$?
  ((code == expected)) || { cat "$log.log"; fail "$log ended with $code"; }
}
says() { grep -q -- "$2" "$1" || { head -30 "$1"; fail "$1 does not say $2"; }; }

study 3 nothing
says nothing.log "experiments/real/records_valid.toml:7: 'dataset.path': there is no file or folder \"corpora/esconv\""
[[ ! -e results ]] || fail "without a corpus something is run"

"$build/bin/compeer" run "$source_dir/experiments/smoke_grpo.toml" --ranks 1 --set grpo.steps=1 >made.log 2>&1 || { cat made.log; fail "no model is made"; }
mkdir -p models corpora/esconv corpora/multiesc corpora/esconv-sra
cp -rL results/smoke-grpo/checkpoints/last models/smollm2
cp -r "$source_dir/tests/golden/bert" models/minilm
dialogue() { # emotion strategy number
  local words="my job is at risk $3"
  printf '{"emotion_type": "%s", "problem_type": "problem %s", "situation": "s", "dialog": [' "$1" "$3"
  printf '{"speaker": "usr", "text": "%s"}, {"speaker": "sys", "text": "%s and when?", "strategy": "%s"}, ' "$words" "$words" "$2"
  printf '{"speaker": "usr", "text": "today", "feedback": "%s"}, {"speaker": "sys", "text": "oh %s", "strategy": "%s"}]}\n' "$(($3 % 5 + 1))" "$3" "$2"
}
for split in esconv/train esconv/valid multiesc/test; do
  for i in 1 2 3 4 5 6 7 8; do
    if ((i % 2)); then dialogue fear Question $i; else dialogue sadness Others $i; fi
  done >corpora/$split.txt
done
{
  echo "["
  for i in 1 2 3; do
    ((i == 1)) || echo ","
    printf '{"conv_id": "c%s_Hope", "strategy": "Hope", "annotator": 1, "model-preference": "%s", "history": "<br><b>seeker</b>: hi", ' $i $((i - 2))
    printf '"model1_response": "all will be well %s", "model2_response": "well"}' $i
  done
  echo "]"
} >corpora/esconv-sra/annotation-results.json

study 0 whole
for judge in untuned MiniLM "PRM and ORM" UnifiReward; do says whole.txt "^$judge  *[0-9]*[.][0-9]"; done
for policy in base SFT "format only" POR UR URP; do says whole.txt "^$policy  *[-0-9]"; done
says whole.txt "^a single seed has no intervals"
[[ ! -e docs ]] || fail "a quick run keeps figures"
cp whole.txt first.txt
study 0 whole
cmp first.txt whole.txt || fail "the second time it says something else"
! grep -q starts whole.log || fail "what has run is repeated"

# Pairs for human annotators: two rounds, in each of them UR against three other policies.
"$build/bin/compeer" run "$source_dir/scripts/real_pairs.lua" --quick >pairs.txt 2>pairs.log || { cat pairs.log; fail "no pairs are made"; }
pairs=$(sed -n 's/^compeer data annotate \(.*\) --out .*/\1/p' pairs.txt)
[[ $(wc -l <"$pairs") == 6 ]] || { cat pairs.txt pairs.log; fail "there aren't six pairs"; }

# Dialogues between the policies and a chat endpoint.
"$build/bin/compeer" run "$source_dir/scripts/real_dialogues.lua" >unnamed.log 2>&1 && fail "there is an endpoint"
says unnamed.log "real_dialogues.lua names no endpoint"
"$build/bin/compeer" run "$source_dir/scripts/real_dialogues.lua" --quick >talk.txt 2>talk.log || { cat talk.log; fail "no dialogues are played"; }
for row in base SFT UR URP; do [[ $(grep -c "^$row  *[0-9]" talk.txt) -ge 2 ]] || { cat talk.txt; fail "nothing is said of $row"; }; done

# Chinese dialogues in SmileChat's layout.
mkdir -p corpora/smile
for i in 1 2 3 4 5 6 7 8; do
  printf '[{"role": "client", "content": "我最近很难过，第%s天了"}, {"role": "counselor", "content": "发生了什么？"}, ' $i
  printf '{"role": "client", "content": "工作丢了"}, {"role": "counselor", "content": "我在听，%s"}]' $i
done | awk -v RS=']' 'NF { print $0 "]" > ("corpora/smile/" NR ".json") }'
code=0
"$build/bin/compeer" run "$source_dir/scripts/chinese.lua" --quick >chinese.txt 2>chinese.log || code=$?
((code == 0)) || { cat chinese.log; fail "chinese ended with $code"; }
says chinese.txt "^chinese-ur  *1  *[-0-9]"
says chinese.txt "^the judge is right on emotions in [0-9.]*, which means nothing here$"
grep -q "这件事是从什么时候开始的" results/quick/chinese-cer/stages/03-generate.jsonl || fail "nobody wrote in Chinese"

# Transfer from one corpus to another.
mkdir -p corpora/mesc
for split in train val; do
  {
    echo "["
    for i in 1 2 3 4 5 6 7 8; do
      ((i == 1)) || echo ","
      printf '{"problem_type": "p%s", "situation": "s", "dialog": [{"text": "i am sad %s", "speaker": "user", "emotion": "%s"}, ' $i $i "$((i % 2))"
      printf '{"text": "why %s?", "speaker": "sys", "emotion": "neutral", "strategy": "%s"}]}' $i "$((i % 3))"
    done
    echo "]"
  } >corpora/mesc/$split.json
done
code=0
"$build/bin/compeer" run "$source_dir/scripts/real_cross.lua" --quick >cross.txt 2>cross.log || code=$?
((code == 0)) || { cat cross.log; fail "real_cross ended with $code"; }
for row in "ESConv on ESConv" "ESConv on MESC" "MESC on ESConv" "MESC on MESC"; do says cross.txt "^$row  *[.0-9]"; done
! grep -q "real-judge: starts" cross.log || fail "the judge of ESConv is trained twice"
