# Two towns of different styles are told apart by what was learnt of their training tiles, and a
# classifier is trained with the same bits on any layout and after a resume.
P=$BIN/civitas-preprocess
for style in industry suburb; do
  run "$P" --sample 1 --sample-style $style --output $style.h5 --pixels 32 >/dev/null
done
run "$P" industry.gpkg suburb.gpkg --output towns.h5 --pixels 32 >said
grep -q '^[0-9]* tiles: .* to train' said || fail "no store of two towns: $(cat said)"
net=(--task classify --net resnet-18 --classifier-lr 0.001)
train() {
  local n=$1 run=$2
  shift 2
  ranks "$n" civitas train --tiles towns.h5 --run "$run" --labels source "${net[@]}" --threads "${threads:-1}" "$@"
}
fingerprint() { grep -h '^fingerprint' "$1/log/rank-0.txt" | tail -n 1; }
last() { tail -n 1 run/test.jsonl | grep -o "\"$1\":[^,}]*" | cut -d: -f2; }

# A line of scores for each epoch, the last of at least 80 % right.
epoch=$((($(grep -oE '[0-9]+ to train' said | cut -d' ' -f1) + 31) / 32))
whole=(--pixels 16 --batch 32 --micro-batch 32 --epochs 2 --checkpoint-every "$epoch")
train 1 run "${whole[@]}" >/dev/null
[ "$(wc -l <run/test.jsonl)" = 2 ] || fail "not a line an epoch: $(cat run/test.jsonl)"
awk "BEGIN { exit !($(last top1) >= 0.8) }" || fail "too little is learnt: $(cat run/test.jsonl)"
grep -q "test, $(last tiles) tiles: loss" run/log/rank-0.txt || fail "the scores are not in the log"

# From the checkpoint of the first epoch, in whose test the run was killed, all ends the same, to the bit.
[ "$(ls run/checkpoints | wc -l)" = 2 ] || fail "checkpoints: $(ls run/checkpoints)"
before=$(fingerprint run)
cp run/test.jsonl scores
: >run/test.jsonl
rm "run/checkpoints/$(ls run/checkpoints | tail -n 1)"
train 1 run "${whole[@]}" >/dev/null
grep -q "resumed from .*step-0*$epoch.h5" run/log/rank-0.txt || fail "not resumed from step $epoch"
[ -n "$before" ] && [ "$(fingerprint run)" = "$before" ] || fail "another result after a resume"
cmp run/test.jsonl scores || fail "other scores after a resume"

# A start that was killed between its last checkpoint and its last test is made good.
sed -i '$d' run/test.jsonl
train 1 run "${whole[@]}" >/dev/null
cmp run/test.jsonl scores || fail "no test of the last step: $(cat run/test.jsonl)"

# One rank, two on the data axis and two on the pipe learn the same; two on the tensor axis within rounding, so that
# what they tell of tiles has the same digits.
few=(--pixels 8 --batch 8 --micro-batch 4 --steps 2 --sample-every 0 --checkpoint-every 0 --precision fp64)
train 1 one "${few[@]}" >/dev/null
for mesh in data pipe tensor; do train 2 $mesh "${few[@]}" --mesh $mesh=2 >/dev/null; done
for mesh in data pipe; do
  [ -n "$(fingerprint one)" ] && [ "$(fingerprint one)" = "$(fingerprint $mesh)" ] ||
    fail "fingerprints of one rank and of $mesh=2 differ"
  cmp one/test.jsonl $mesh/test.jsonl || fail "scores of one rank and of $mesh=2 differ"
done
# So do replicas, servers with their workers, and ranks that share the optimizer out, also to a disk.
threads=2 train 1 replicas "${few[@]}" --replicas 2 >/dev/null
train 3 server "${few[@]}" --update server --servers 1 >/dev/null
train 2 shard "${few[@]}" --shard parameters >/dev/null
train 2 offload "${few[@]}" --offload disk >/dev/null
for kind in replicas server shard offload; do
  [ "$(fingerprint one)" = "$(fingerprint $kind)" ] || fail "fingerprints of one rank and of $kind differ"
done
# So does one rank that updates shared weights by itself, with a bound on staleness or without, and ranks that do so in
# turn. Without one, two learn finite numbers.
turns=(--pixels 8 --batch 8 --micro-batch 4 --steps 5 --sample-every 0 --checkpoint-every 0 --precision fp64)
train 1 sync "${turns[@]}" >/dev/null
for case in '1 0' '1 any' '3 0'; do
  read -r n bound <<<"$case"
  train "$n" "async-$n-$bound" "${turns[@]}" --update async --max-staleness "$bound" >/dev/null
  [ -n "$(fingerprint sync)" ] && [ "$(fingerprint sync)" = "$(fingerprint "async-$n-$bound")" ] ||
    fail "other bits of $n ranks that update by themselves, bound $bound"
  cmp sync/test.jsonl "async-$n-$bound/test.jsonl" || fail "other scores of $n ranks, bound $bound"
done
train 2 free "${turns[@]}" --update async --delay 1=0.01 >/dev/null
[ "$(grep -c '"loss":[0-9.]*,' free/metrics.jsonl)" = 5 ] || fail "no losses: $(cat free/metrics.jsonl)"
grep -q '"loss":[0-9.]*,' free/test.jsonl || fail "no scores: $(cat free/test.jsonl)"
# Nor do scores in fp32, where products have other bits in batches of another size: 86 tiles are no whole batches of two
# ranks.
for n in 1 2; do
  ranks $n civitas train --tiles towns.h5 --run vgg-$n --labels source --task classify --net vgg-11 --threads 1 \
    --pixels 32 --batch 8 --micro-batch 4 --steps 1 --sample-every 0 --checkpoint-every 0 >/dev/null
done
cmp vgg-1/test.jsonl vgg-2/test.jsonl || fail 'scores depend on the number of ranks'
for mesh in data tensor; do
  run civitas classify --checkpoint $mesh --tiles towns.h5 --output $mesh.csv >/dev/null
done
cmp data.csv tensor.csv || fail "a net trained on a tensor axis tells something else"
[ "$(fingerprint data)" != "$(fingerprint tensor)" ] || fail "the tensor axis changes no sum, so this proves nothing"

# Of the same maps in another order the same tiles are of other classes.
run "$P" suburb.gpkg industry.gpkg --output turned.h5 --pixels 32 >/dev/null
refuses 2 'the checkpoint was made with tiles = ' civitas train --tiles turned.h5 --run one --labels source \
  "${net[@]}" "${few[@]}"

# What gives no classes is refused before a run's folder is made.
refuses 2 'has no labels. Hint: --labels source: the map that each tile comes from' \
  civitas train --tiles towns.h5 --run none "${net[@]}" --labels stored
refuses 2 "has one class alone, 'suburb.gpkg' (--labels source): a classifier needs two or more" \
  civitas train --tiles suburb.h5 --run none --labels source "${net[@]}"
[ ! -e none ] || fail "a refused run left $(ls none)"
