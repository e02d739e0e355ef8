#!/usr/bin/env bash
# The paper's settings: every experiment resolves; every script can be planned in full (--dry-run), with corpora, cards
# and the sizes of a model made up here, and with --quick; Tables 1 to 3 and Figures 5 and 6 run to the end with a tiny
# model in place of SmolLM2, and finished runs are not repeated.   usage: paper_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1 build=$2
work=$(mktemp -d -t compeer-paper.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 COMPEER_HOME=$source_dir

fail() { echo "FAILED  $1"; exit 1; }
run() {
  local name=$1 log=$2 code=0
  shift 2
  "$build/bin/compeer" run "$source_dir/scripts/paper/$name.lua" "$@" >"$log.txt" 2>"$log.log" || code=$?
  ((code == 0)) || { cat "$log.log"; fail "$log ends with $code"; }
}
says() { grep -q -- "$2" "$1" || { head -40 "$1"; fail "$1 does not say $2"; }; }
scripts=(written table1 table2 table3 fig5_consistency fig5_time fig6_pairwise)

for experiment in "$source_dir"/experiments/paper/*.toml; do
  "$build/bin/compeer" resolve "$experiment" >resolved.txt 2>resolved.log || { cat resolved.log; fail "$experiment doesn't resolve"; }
done

# The corpora and models that users must provide: in the published layouts, with text made for this test.
mkdir -p corpora/{esconv,mesc/media,esc-eval,sage} models/Qwen2.5-VL-7B-Instruct
for split in train valid test; do
  for i in 1 2 3 4; do
    echo '{"emotion_type": "fear", "problem_type": "job crisis", "situation": "s", "dialog": [
      {"speaker": "usr", "text": "my job is at risk '$split $i'"}, {"speaker": "sys", "text": "since when?", "strategy": "Question"}]}' | tr -d '\n'
    echo
  done >corpora/esconv/$split.txt
done
echo '[{"problem_type": "Job Crisis", "situation": "s", "dialog": [{"text": "my job is at risk", "speaker": "user", "emotion": "fear"},
  {"text": "since when?", "speaker": "sys", "emotion": "neutral", "strategy": "Open questions"}]}]' >corpora/mesc/test.json
for language in en zh; do
  printf '[{"id": 1, "base": "%s", "res": "work", "source": "ESconv", "language": "%s"}]' 'Age: 30\nProblem: my job is at risk' $language >corpora/esc-eval/card_high_$language.json
done
echo '{"id": "1", "player": "calm", "scene": "the job is at risk", "task": "to be heard", "first_talk": "hello"}' >corpora/sage/simulator_profile_withfirsttalk.jsonl
cat >models/Qwen2.5-VL-7B-Instruct/config.json <<'END'
{"model_type": "qwen2_5_vl", "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28, "num_attention_heads": 28,
 "num_key_value_heads": 4, "vocab_size": 152064, "max_position_embeddings": 128000, "tie_word_embeddings": false,
 "vision_config": {"depth": 32, "hidden_size": 1280, "intermediate_size": 3420, "num_heads": 16, "out_hidden_size": 3584}}
END
for name in "${scripts[@]}"; do run "$name" "planned_$name" --dry-run; done
says planned_table2.txt "^paper-esc-eval-zh-URP "
for run in sft prm-kept orm-kept unifireward-kept por ur urp; do says planned_table2.txt "^paper-$run "; done
says planned_fig6_pairwise.txt "^compeer data annotate .*06-pairwise.jsonl"
says planned_written.txt "^cat .*04-generate.jsonl >corpora/written.jsonl"
[[ ! -e results ]] || fail "a dry run leaves something"

# A CER made from several corpora, with images in a folder.
mkdir -p several corpora/media/mesc
cp -r "$source_dir/scripts/paper" several/scripts
sed -i 's|^    { plugin = "esconv".*|&\n    { plugin = "mesc", path = "corpora/mesc", media = "corpora/media/mesc" },|; s|^  -- pictures = |  pictures = |' \
  several/scripts/laboratory.lua
"$build/bin/compeer" run several/scripts/table2.lua --dry-run >several.txt 2>several.log || { cat several.log; fail "two corpora can't be planned"; }
for run in written-esconv written-mesc cer; do says several.txt "^paper-$run "; done

# A CPU cluster, and an adapter of a text model instead of full fine-tuning.
cp -r models/Qwen2.5-VL-7B-Instruct models/Qwen2.5-7B-Instruct
sed -i 's/qwen2_5_vl/qwen2/' models/Qwen2.5-7B-Instruct/config.json
run fig5_time on_cpus --dry-run --ranks 32 --set threads=16 --set model.engine=exact --set model.device=cpu
run fig5_time seeing_adapter --dry-run --set model.adapter.rank=16
run fig5_time adapter --dry-run --set model.plugin=qwen2 --set model.path=models/Qwen2.5-7B-Instruct --set model.adapter.rank=64
"$build/bin/compeer" resolve "$source_dir/scripts/paper/fig5_time.lua" --set model.plugin=qwen2 --set model.path=models/Qwen2.5-7B-Instruct \
  --set model.adapter.rank=64 >adapter.txt 2>adapter.log || { cat adapter.log; fail "GRPO of an adapter doesn't resolve"; }
says adapter.txt "results/paper-sft/checkpoints/last"

"$build/bin/compeer" run "$source_dir/experiments/smoke_grpo.toml" --ranks 1 --set grpo.steps=1 >made.log 2>&1 || { cat made.log; fail "no model is made"; }
cp -rL results/smoke-grpo/checkpoints/last models/smollm2
for name in "${scripts[@]}"; do run "$name" "quick_$name" --quick; done
for row in "PRM and ORM" UnifiReward UnifiReward-D UnifiReward-R UnifiReward-P; do says quick_table1.txt "^$row  *[0-9]"; done
for row in "Qwen3 R" "SoulChat 2.0" SFT POR UR URP; do
  says quick_table2.txt "^$row  *[0-9]"
  says quick_table3.txt "^$row  *[-0-9]"
done
says quick_fig5_consistency.txt "^UnifiReward  *[0-9]"
says quick_fig5_time.txt "^POR  *[0-9]"
says quick_fig6_pairwise.txt "^GPT-4o  *[0-9]"
run table2 again --quick
cmp quick_table2.txt again.txt || fail "table2 says something else the second time"
! grep -q starts again.log || fail "table2 repeats what has run"
