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

small 4 mixed --steps 2 --shard parameters --trace trace.json
small 2 mixed --steps 3 --mesh pipe=2
# Of stages of unlike size every rank tells what the largest holds, as the summary does.
most() { grep -o 'at most [0-9.]* MB a rank' "mixed/log/rank-$1.txt" | tail -n 1; }
[ -n "$(most 1)" ] && [ "$(most 0)" = "$(most 1)" ] || fail "two ranks: $(most 0), $(most 1)"
small 4 mixed --steps 4 --mesh data=2,pipe=2 --schedule gan --shard parameters >said 2>&1
grep -q 'shard changes from none to parameters' said || fail "the change is not told: $(cat said)"
same one mixed

# The trace of these steps shows every gather and release of both nets' five units on every rank, one after the other;
# each gather is under way while the rank computes with the weights of another unit, unless there are none before it.
/usr/bin/python3 - <<'PYTHON' || fail "the trace of weights that are gathered"
import json
spans = [e for e in json.load(open("trace.json"))["traceEvents"] if e["ph"] == "X"]
computing = ("F", "B", "W", "BW")
for rank in range(4):
    actions = [e for e in spans if e["pid"] == rank and e["cat"] in computing + ("gather", "release", "reduce", "step")]
    for one, other in zip(actions, actions[1:]):
        assert one["ts"] <= one["ts"] + one["dur"] <= other["ts"] + 1e-6, (one, other)
    unit_of = [e["name"].split(".")[0] for e in actions]
    gathers = [i for i, e in enumerate(actions) if e["cat"] == "gather"]
    assert {unit_of[i] for i in gathers} == {f"{net}{unit}" for net in "GD" for unit in range(5)}
    for i in gathers:
        of_unit = [j for j in range(i + 1, len(actions)) if unit_of[j] == unit_of[i]]
        kinds = [actions[j]["cat"] for j in of_unit]
        assert set(kinds[:kinds.index("release")]) <= set(computing) and kinds[0] in computing, actions[i]
        meanwhile = any(e["cat"] in computing for e in actions[i:of_unit[0]])
        assert meanwhile or i == 0 or actions[i - 1]["cat"] == "step", actions[i]
PYTHON

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
