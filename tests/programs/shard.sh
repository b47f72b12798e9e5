# Ranks that own slices of the optimizer's state, of gradients or of the weights too, end with the bits of ranks that
# hold it all; what one shard level wrote another reads, on any mesh.
source "$ROOT/tests/support/runs.sh"
small() {
  local n=$1 run=$2
  shift 2
  ranks "$n" civitas train --tiles tiles.h5 --run "$run" --net dcgan-64 --generator-widths 16,16,16,16 \
    --discriminator-widths 16,16,16,16 --nz 8 --batch 16 --micro-batch 2 --threads 1 --checkpoint-every 0 "$@"
}
bytes() { awk '/weights, moments, sums/ { print $4 }' "$1"; }

small 1 one --steps 4 --sample-every 4
small 2 two --steps 4 --sample-every 4 --shard optimizer >said
same one two
cmp one/samples/step-00000004.png two/samples/step-00000004.png || fail 'the mean draws another sheet'
small 2 whole --steps 4 --weight-copies rank >said.whole
awk -v part="$(bytes said)" -v whole="$(bytes said.whole)" 'BEGIN { exit !(part > 0 && part < whole) }' ||
  fail "shards need $(bytes said) MB of memory, all of it $(bytes said.whole)"

small 4 mixed --steps 2 --shard parameters
small 2 mixed --steps 3 --mesh pipe=2
small 4 mixed --steps 4 --mesh data=2,pipe=2 --schedule gan --shard parameters >said 2>&1
grep -q 'shard changes from none to parameters' said || fail "the change is not told: $(cat said)"
same one mixed

# On the tensor axis, too, where a parameter is cut twice; and read by ranks that cut it otherwise.
small 4 cut --steps 2 --mesh data=2,tensor=2
small 4 cut.sharded --steps 2 --mesh data=2,tensor=2 --shard parameters
same cut cut.sharded
small 2 cut --steps 3 --mesh tensor=2
small 2 cut.sharded --steps 3 --mesh tensor=2
same cut cut.sharded

# A mean that begins later begins with the weights on every rank.
small 1 late --steps 2 --ema 0
cp -r late late.sharded
small 1 late --steps 4 --allow-change ema
small 2 late.sharded --steps 4 --allow-change ema --shard optimizer
same late late.sharded
