# A tensor axis divides what checkpoints hold whole: any mesh goes on from any other, within rounding.
source "$ROOT/tests/support/near.sh"
make_store tiles.h5 40 64
net=(--net dcgan-64 --generator-widths 8,12,6,4,6 --discriminator-widths 4,6,8,12 --nz 7 --batch 8
     --micro-batch 2 --threads 1 --sample-every 0)
precision=fp64
train() {
  local n=$1 run=$2
  shift 2
  ranks "$n" civitas train --tiles tiles.h5 --run "$run" "${net[@]}" --precision $precision "$@"
}
train 1 whole --steps 4
train 2 halves --mesh tensor=2 --steps 2 --trace trace.json
train 1 halves --steps 4
cp -r halves/checkpoints/step-00000002.h5 .
train 1 parts --steps 2
train 4 parts --mesh data=2,tensor=2 --steps 3
train 4 parts --mesh pipe=2,tensor=2 --steps 4

near step-00000004.h5 whole halves parts
/usr/bin/python3 - <<'PYTHON' || fail "the losses differ"
import json
def lines(run):
    return [json.loads(line) for line in open(run + "/metrics.jsonl")]
for run in ("halves", "parts"):
    for a, b in zip(lines("whole"), lines(run), strict=True):
        assert a["step"] == b["step"] and abs(a["d_loss"] - b["d_loss"]) < 1e-10, (run, a, b)
PYTHON
grep -q 'tensor axis: generator in 2 parts .* whole: nothing' halves/log/rank-0.txt ||
  fail "the cut is not told: $(head -n 20 halves/log/rank-0.txt)"
[ -s parts/samples/step-00000004.png ] || fail "no sample sheet was drawn together"
ranks 2 civitas generate --checkpoint step-00000002.h5 --count 3 --output plans.h5
civitas inspect halves | grep 'step-00000002.h5: whole' >/dev/null || fail "the divided run's checkpoint is not whole"

# A trace shows what a rank of the tensor axis tells the others, inside the actions that it does.
/usr/bin/python3 - <<'PYTHON' || fail "the trace of a tensor axis"
import json
spans = [e for e in json.load(open("trace.json"))["traceEvents"] if e["ph"] == "X"]
for rank in (0, 1):
    mine = [e for e in spans if e["pid"] == rank]
    actions = [e for e in mine if e["cat"] in ("F", "B", "W", "BW", "reduce")]
    inner = [e for e in mine if e["name"] == "exchange along tensor"]
    assert len(inner) > 20, len(inner)
    for e in inner:
        assert any(a["ts"] <= e["ts"] and e["ts"] + e["dur"] <= a["ts"] + a["dur"] for a in actions), e
    assert any(e["name"] == "wait until all ranks have met" for e in mine)
PYTHON

# fp32 and bf16 run too, with the same bits run to run.
for precision in fp32 bf16; do
  for run in a b; do train 4 $precision.$run --mesh data=2,tensor=2 --steps 2; done
  same_as=$(grep -h '^fingerprint' $precision.a/log/rank-0.txt)
  [ "$(grep -h '^fingerprint' $precision.b/log/rank-0.txt)" = "$same_as" ] || fail "$precision: other bits"
done

refuses 2 'tensor=3 divides no layer of discriminator, whose widths are 4,8,8,8' \
  mpirun --quiet --oversubscribe -n 3 "$(command -v civitas)" train --tiles tiles.h5 --run no \
  --net dcgan-64 --generator-widths 9,6,3,3 --discriminator-widths 4,8,8,8 --mesh tensor=3 --steps 1
refuses 2 'tensor=5 is more than the 4 channels of the narrowest layer of generator' \
  mpirun --quiet --oversubscribe -n 5 "$(command -v civitas)" train --tiles tiles.h5 --run no \
  "${net[@]}" --mesh tensor=5 --steps 1
