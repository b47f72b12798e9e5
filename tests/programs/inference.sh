# Trained nets read back: `civitas classify` tells the same whatever the ranks and the mesh that trained,
# what is exported comes back by `civitas import`, and what does not fit is refused.
source "$ROOT/tests/support/python.sh"
make_store plain.h5 40 32
"$python" - <<'PYTHON'
import h5py, numpy, shutil
shutil.copy("plain.h5", "tiles.h5")
with h5py.File("tiles.h5", "r+") as tiles:
    tiles["labels"] = (numpy.arange(40) % 4 < 2).astype("uint16")
    tiles["label_names"] = numpy.array([b"village, small", b"town"])
    del tiles["index"], tiles["checksum"]
PYTHON
train() {
  local n=$1 run=$2
  shift 2
  ranks "$n" civitas train --task classify --tiles tiles.h5 --net resnet-18 --run "$run" --batch 8 --micro-batch 4 \
    --steps 2 --threads 1 --classifier-lr 1e-4 "$@" >log
}
changes=()
for fact in tiles tile-metres tile-pixels crs-epsg batch micro-batch; do changes+=(--allow-change "$fact"); done
train 1 one
train 2 pipe --mesh pipe=2
export OMP_NUM_THREADS=1
ranks 1 civitas classify --checkpoint one --tiles tiles.h5 --output one.csv --logits --confusion confusion.csv >said
scores=$(sed -n 's/^.*test, \(4 tiles: loss .*\)/\1/p' one/log/rank-0.txt | tail -n 1)
{ grep -qx 'wrote one.csv' said && grep -qx 'wrote confusion.csv' said; } || fail "no word of its files: $(cat said)"
[ -n "$scores" ] && grep -qxF "$scores" said || fail "the last test said '$scores', classify $(cat said)"
ranks 1 civitas classify --checkpoint pipe --tiles tiles.h5 --output pipe.csv --logits >said
cmp one.csv pipe.csv || fail 'a net trained on a pipe tells something else'
for n in 1 2; do
  ranks $n civitas classify --checkpoint one --tiles plain.h5 --labels none --split all --output all.$n.csv --logits
done
cmp all.1.csv all.2.csv || fail 'two ranks tell something else'
run civitas export --checkpoint one --to one.safetensors
printf 'village, small\ntown\n' >names.txt
run civitas import --from one.safetensors --net resnet-18 --pixels 32 --coding colour --names names.txt --to again.h5
run civitas inspect again.h5 | grep -q 'whole: every checksum is right' || fail 'what is imported is not whole'
run civitas export --checkpoint again.h5 --to again.safetensors
run civitas classify --checkpoint again.h5 --tiles tiles.h5 --output again.csv --logits
cmp one.csv again.csv || fail 'what was exported and imported tells something else'
# What the file says of itself need not be told.
run civitas import --from again.safetensors --net resnet-18 --to itself.h5 >said
grep -q 'resnet-18 of 2 classes, images of 32 px, coding colour' said || fail "not taken from the file: $(cat said)"
run civitas classify --checkpoint itself.h5 --tiles plain.h5 --labels none --split all --output itself.csv
grep -q '"village, small"' itself.csv || fail "names are lost: $(head -n 3 itself.csv)"
# However long the names are: a checkpoint keeps them.
printf 'v%03000d\nt%03000d\n' 0 0 >long.txt
run civitas import --from one.safetensors --net resnet-18 --pixels 32 --coding colour --names long.txt --to long.h5
run civitas export --checkpoint long.h5 --to long.safetensors
[ -z "$(find . -name 'again.h5?*')" ] || fail "an import leaves $(find . -name 'again.h5?*')"
refuses 2 'again.h5' civitas import --from one.safetensors --net resnet-18 --pixels 32 --coding colour --to again.h5
train 1 on --resume again.h5 "${changes[@]}"
refuses 2 'the checkpoint was made with tiles = none: imported' civitas train --task classify --tiles tiles.h5 \
  --net resnet-18 --run no --batch 8 --micro-batch 4 --steps 2 --threads 1 --resume again.h5 "${changes[@]:2}"

# A population of classifiers is compared by their scores.
train 2 both --pixels 8 --population 2 --vary classifier-lr=1e-4,1e-1
for member in 1 2; do tail -n 1 both/$member/test.jsonl; done |
  python3 -c 'import json, sys
scores = [json.loads(line) for line in sys.stdin]
best = min((s["loss"], number) for number, s in enumerate(scores, 1))[1]
table = open("both/population.txt").read().splitlines()
assert table[0].split() == "member classifier-lr steps loss top-1 top-5 end".split(), table
for s, row in zip(scores, table[1:]):
    assert row.split()[3:6] == [f"{s[name]:.3f}" for name in ("loss", "top1", "top5")], (s, row)
assert table[3] == f"best: member {best}", table' || fail "$(cat both/population.txt)"

"$python" - <<'PYTHON' || fail 'see above'
import csv, h5py, json, numpy
def arrays(name):
    raw = open(name, "rb").read()
    begin = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:begin])
    about = header.pop("__metadata__")
    return about, {k: raw[begin + t["data_offsets"][0]:begin + t["data_offsets"][1]] for k, t in header.items()}
about, one = arrays("one.safetensors")
assert one == arrays("again.safetensors")[1] and "bn1.running_var" in one
assert about["torchvision"] == "resnet18", about
assert about["training-licence"] == arrays("again.safetensors")[0]["training-licence"] == "synthetic", about
assert about["torchvision-changes"] == "conv1.weight: 64 x 3 x 3 x 3; no maxpool; conv1 of stride 1", about
assert json.loads(arrays("long.safetensors")[0]["class-names"]) == open("long.txt").read().split()
assert json.loads(about["class-names"]) == ["village, small", "town"] and about["part"] == "classifier", about
rows = list(csv.DictReader(open("one.csv")))
last = json.loads(open("one/test.jsonl").read().splitlines()[-1])
right = [row["label"] == row["told"] for row in rows]
assert len(rows) == last["tiles"] == 4 and abs(numpy.mean(right) - last["top1"]) < 1e-9, (rows, last)
assert {row["label"] for row in rows} == {"village, small", "town"}, rows
for row in rows: assert row["label"] == ["village, small", "town"][int(row["tile"]) % 4 < 2], row
every = list(csv.DictReader(open("all.1.csv")))
origin = h5py.File("plain.h5")["origin"][:]
assert [int(row["tile"]) for row in every] == list(range(40)) and not any(row["label"] for row in every), every
for row in every:
    where = [float(row[name]) for name in ("easting", "northing")]
    assert numpy.abs(where - origin[int(row["tile"])]).max() < 1e-3, row
for row in rows:  # whatever the tiles that are told with it
    same = every[int(row["tile"])]
    assert row["told"] == same["told"] and abs(float(row["probability"]) - float(same["probability"])) < 1e-5, row
for row in rows:
    z = numpy.array([float(row["logit village, small"]), float(row["logit town"])])
    p = numpy.exp(z - z.max()) / numpy.exp(z - z.max()).sum()
    assert abs(p.max() - float(row["probability"])) < 2e-6 and ["village, small", "town"][z.argmax()] == row["told"]
table = list(csv.reader(open("confusion.csv")))
assert table[0] == ["real", "village, small", "town"], table
counts = numpy.array([[int(n) for n in row[1:]] for row in table[1:]])
assert counts.sum() == 4 and counts.trace() == sum(right), counts

def write(name, changed):
    raw = open("one.safetensors", "rb").read()
    begin = 8 + int.from_bytes(raw[:8], "little")
    words = changed(json.loads(raw[8:begin]))
    words = (words if isinstance(words, str) else json.dumps(words)).encode()
    open(name, "wb").write(len(words).to_bytes(8, "little") + words + raw[begin:])
def change(what, **values):
    def changed(header):
        header[what].update(values)
        return header
    return changed
def wrapped(header): return {(k if k == "__metadata__" else "module." + k): v for k, v in header.items()}
def renamed(header): return {("odd" if k == "bn1.bias" else k): v for k, v in header.items()}
write("overlap.safetensors", change("bn1.bias", data_offsets=[0, 256]))
write("short.safetensors", change("bn1.bias", shape=[63]))
write("shape.safetensors", change("bn1.bias", shape=[8, 8]))
write("type.safetensors", change("bn1.bias", dtype="Q8"))
write("renamed.safetensors", renamed)
write("wrapped.safetensors", wrapped)
write("twice.safetensors", lambda h: json.dumps(h)[:-1] + ', "bn1.bias": 3}')
write("words.safetensors", lambda h: "[")
open("long.safetensors", "wb").write(b"\xff" * 8 + b"{}")
def valued(name, values):
    raw = bytearray(open("one.safetensors", "rb").read())
    begin = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:begin])
    for array, bits in values.items():
        at = begin + header[array]["data_offsets"][0]
        raw[at:at + len(bits)] = bits
    end = len(raw) - begin
    header["bn1.num_batches_tracked"] = {"dtype": "I64", "shape": [], "data_offsets": [end, end + 8]}  # as PyTorch has
    words = json.dumps(header).encode()
    open(name, "wb").write(len(words).to_bytes(8, "little") + words + raw[begin:] + bytes(8))
def floats(*values): return numpy.array(values, "float32").tobytes()
valued("nan.safetensors", {"fc.bias": floats(0, numpy.nan), "layer1.0.bn1.running_var": floats(1)})
valued("inf.safetensors", {"layer1.0.bn1.running_var": floats(1, numpy.inf)})
valued("huge.safetensors", {"fc.weight": floats(*[3e38] * 512)})
PYTHON
printf 'village, small\n\n' >names.gap
printf 'town\ntown\n' >names.twice
: >names.none
for wrong in 'gap": line 2 is empty' 'twice": line 2 is there twice: town' 'none" is empty'; do
  refuses 2 "\"names.$wrong" civitas import --from one.safetensors --net resnet-18 --pixels 32 --coding colour \
    --names "names.${wrong%%\"*}" --to no.h5
done
import() { refuses "$1" "$2" civitas import --from "$3" --net resnet-18 --pixels 32 --coding colour --to no.h5; }
import 1 'an array begins at' overlap.safetensors
import 1 "array 'bn1.bias' of 252 bytes lies at" short.safetensors
import 1 "type 'Q8' of an array" type.safetensors
import 1 "array 'bn1.bias' is there twice" twice.safetensors
import 1 'its header is no JSON object' words.safetensors
import 1 'its header would have 18446744073709551615 bytes' long.safetensors
import 2 '1 missing (bn1.bias); 1 that it has not (odd)' renamed.safetensors
import 2 '1 of other shapes (bn1.bias: 8 x 8 in the place of 64)' shape.safetensors
import 1 "\"nan.safetensors\": array 'fc.bias' holds NaN, as element 1. Hint: its training has diverged" nan.safetensors
import 1 "array 'layer1.0.bn1.running_var' holds an infinite value, as element 1" inf.safetensors
import 2 'Hint: all its names begin with module., as DataParallel and DistributedDataParallel' wrapped.safetensors
refuses 2 'conv1.weight: 64 x 3 x 3 x 3 in the place of 64 x 3 x 7 x 7' civitas import --from one.safetensors \
  --net resnet-18 --pixels 224 --to no.h5
refuses 2 'has no classifier.6.weight' civitas import --from one.safetensors --net vgg-11 --to no.h5
echo town >few.txt
refuses 2 '--names has 1 names, "one.safetensors" 2 classes' civitas import --from one.safetensors --net resnet-18 \
  --pixels 32 --coding colour --names few.txt --to no.h5
[ -z "$(find . -name 'no.h5*')" ] || fail 'a refused import leaves a file'
printf 'village, small\r\ncity\r\n' >other.txt
run civitas import --from huge.safetensors --net resnet-18 --pixels 32 --coding colour --names other.txt --to huge.h5
refuses 1 'logits that are not finite' civitas classify --checkpoint huge.h5 --tiles tiles.h5
grep -qF "class 1 is 'city' in the checkpoint, 'town' in the store" said || fail "names that differ: $(cat said)"
refuses 2 '"plain.h5" has 1 class, the net of' civitas classify --checkpoint one --tiles plain.h5 --labels source
refuses 2 'has no labels' civitas classify --checkpoint one --tiles plain.h5
refuses 2 '--labels none, and no --output' civitas classify --checkpoint one --tiles plain.h5 --labels none
refuses 2 "unknown source of labels 'no'. Hint: stored, source or none" \
  civitas classify --checkpoint one --tiles tiles.h5 --labels no
for gone in '--from gone.safetensors' "--from one.safetensors --names gone.txt"; do
  # shellcheck disable=SC2086
  refuses 2 "--${gone##*--}: there is no such file. Hint: check the name and the folder" \
    civitas import $gone --net resnet-18 --to no.h5
done
refuses 2 "unknown classifier 'resnet-34'. Hint: did you mean resnet-18?" \
  civitas import --from gone.safetensors --net resnet-34 --to no.h5
refuses 2 'net dcgan-64 draws plans, a classifier tells classes. Hint: --net with one of vgg-11, vgg-16, resnet-18' \
  civitas train --task classify --tiles tiles.h5 --run no
refuses 2 '--logits counts with --output alone' civitas classify --checkpoint one --tiles tiles.h5 --logits
refuses 2 "unknown split 'some'. Hint: test, train or all" \
  civitas classify --checkpoint one --tiles tiles.h5 --split some
refuses 2 'which draws no plans' civitas generate --checkpoint one --output plans.h5
refuses 2 'which draws no plans' civitas evaluate --checkpoint one --tiles tiles.h5
refuses 2 '--net generator: ' civitas export --checkpoint one --net generator --to no.safetensors
refuses 2 'a classifier reads no noise' civitas export --checkpoint one --latents 2 --to no.safetensors
refuses 2 "no mean is kept of a classifier's weights" civitas export --checkpoint one --weights mean --to no.safetensors
make_store wide.h5 20 64
ranks 1 civitas train --tiles wide.h5 --run gan --net dcgan-64 --generator-widths 8,8,8,8 --nz 8 --batch 4 \
  --micro-batch 4 --discriminator-widths 8,8,8,8 --steps 1 --threads 1 >log
refuses 2 'which tells no classes' civitas classify --checkpoint gan --tiles wide.h5
refuses 2 '--net classifier: ' civitas export --checkpoint gan --net classifier --to no.safetensors
