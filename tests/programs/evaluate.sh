# The figures of `evaluate`: real tiles are near each other, noise is far, a fresh net in between.
make_store tiles.h5 200 64
ranks 1 civitas train --tiles tiles.h5 --run run --net dcgan-64 --generator-widths 8,8,8,8 \
  --discriminator-widths 8,8,8,8 --nz 8 --batch 8 --micro-batch 4 --steps 2 --threads 1
ranks 2 civitas evaluate --checkpoint run --tiles tiles.h5 --count 100000 --output figures.txt
cat figures.txt
value() { sed -n "s/^$1 = //p" "$2"; }
figure() { value "$1" figures.txt; }
less() { awk "BEGIN { exit !($1 < $2) }" || fail "$1 is not less than $2 ($3)"; }
less "$(figure real.distance)" "0.5 * $(figure noise.distance)" "real tiles against noise"
less "$(figure real.distance)" "$(figure plans.distance)" "real tiles against an untrained net"
less "$(figure real.road) - $(figure noise.road)" 0.05 "shuffling keeps the cover"
less "$(figure noise.road) - $(figure real.road)" 0.05 "shuffling keeps the cover"
less 0.2 "$(figure real.road)" "make_store draws more road than that"
less "$(figure plans.difference)" 1 "a share"
for key in building_np building_area road_length block_area; do
  less "$(figure real.$key.ks)" "0.5 * $(figure noise.$key.ks)" "$key of real tiles against noise"
  less "$(figure real.$key.ks)" "$(figure plans.$key.ks)" "$key of real tiles against an untrained net"
done
less "$(figure plans.mmd_p)" 0.01 "an untrained net draws other figures"

# What is stored of plans has all figures of the plans but the soft ones, and one rank tells what two have told.
run civitas generate --checkpoint run --count 20 --seed 1 --output plans.h5
run civitas evaluate --plans plans.h5 --tiles tiles.h5 --output stored.txt
hard() { grep -vE '^plans\.(cover_count|(cover_)?(building|road)|difference|distance(_[0-9]+)?) ' "$1"; }
[ "$(hard figures.txt | wc -l)" -gt 250 ] || fail "only $(hard figures.txt | wc -l) lines"
diff <(hard figures.txt) <(hard stored.txt) || fail 'other figures of plans as drawn and as stored'

# Cover is told of more plans than are compared: of the 2000 that `generate` would store, however many are asked for.
source "$ROOT/tests/support/python.sh"
run civitas evaluate --plans tiles.h5 --tiles tiles.h5 --output self.txt
run civitas generate --checkpoint run --count 2000 --seed 1 --output many.h5
"$python" - <<'PYTHON' || fail 'another cover of many plans'
import h5py, math, numpy
def figures(file): return dict(line.rstrip("\n").split(" = ") for line in open(file) if " = " in line)
told, stored = figures("figures.txt"), figures("stored.txt")
def near(key, value, of=told): assert math.isclose(float(of[key]), value, rel_tol=1e-4), (key, of[key], value)
drawn = h5py.File("many.h5")["cover"][:].mean(axis=0)
near("plans.cover_road", drawn[1]), near("plans.cover_building", drawn[2])
assert abs(float(told["plans.building"]) - drawn[2]) > 1e-5, "of few plans it is the same"
self = figures("self.txt")  # all 200 tiles of the store beside its 20 test and 180 training tiles
for name in "building", "road":
    near(f"test.cover_{name}", float(told[f"test.{name}"]))
    near(f"plans.cover_{name}", 0.1 * float(told[f"test.cover_{name}"]) + 0.9 * float(told[f"real.cover_{name}"]), self)
counts = {name: [float(of[f"{name}.cover_count"]) for of in (told, stored)] for name in ("plans", "real", "test")}
assert counts == {"plans": [2000, 20], "real": [180, 180], "test": [20, 20]}, counts
near("plans.cover_road", float(stored["plans.road"]), stored)
PYTHON

# Two towns, at a size that both can be averaged to; nothing is nearer to a town than itself.
make_store other.h5 60 32
run civitas evaluate --plans other.h5 --tiles tiles.h5 --pixels 16 --output towns.json --page towns.html
cp other.h5 $'caf\xe9.h5' # a name in Latin-1, which JSON cannot hold as it is
run civitas evaluate --plans $'caf\xe9.h5' --tiles tiles.h5 --pixels 16 --output latin.JSON
python3 -c 'import json; assert json.load(open("latin.JSON"))["plans"] == "caf\ufffd.h5"'
python3 - <<'PYTHON'
import json
report = json.load(open("towns.json"))
assert report["pixels"] == 16 and report["count"] == 20 and report["plans"] == "other.h5", report
rows = {row["key"]: row for group in report["groups"] for row in group["figures"]}
assert len(rows) >= 38 and all(0 <= row["ks"]["training"] <= 1 for row in rows.values()), rows
assert abs(report["pixel_metres"] - 250 / 16) < 1e-12
assert report["copies"]["training_tiles"] == 180
PYTHON
grep -q '<svg' towns.html || fail 'a page without charts'
! grep -qE '<script|https?://|src=' towns.html || fail 'a page that needs more than itself'
[ "$(value learnt self.txt)" = 180 ] || fail "looked through $(value learnt self.txt) training tiles"
[ "$(value plans.nearest.least self.txt)" = 0 ] || fail 'training tiles are no copies of themselves'

# What cannot be compared, before anything is written.
refuses 2 'neither --checkpoint nor --plans is given. Hint: --checkpoint RUN' civitas evaluate --tiles tiles.h5
refuses 2 'both --checkpoint and --plans are given' civitas evaluate --checkpoint run --plans plans.h5 --tiles tiles.h5
refuses 2 'pixels counts with --plans alone' civitas evaluate --checkpoint run --tiles tiles.h5 --pixels 32
refuses 2 'pixels 8: expected 16 to 4096' civitas evaluate --plans plans.h5 --tiles tiles.h5 --pixels 8
refuses 2 'plans.h5 has tiles of 64 pixels a side, which cannot be compared at 100. Hint: --pixels' \
  civitas evaluate --plans plans.h5 --tiles tiles.h5 --pixels 100 --output none.txt
refuses 2 'count 1: expected at least 2' civitas evaluate --plans plans.h5 --tiles tiles.h5 --count 1
refuses 2 'towns.json exists' civitas evaluate --plans plans.h5 --tiles tiles.h5 --output towns.json
refuses 2 'page' civitas evaluate --plans plans.h5 --tiles tiles.h5 --page plans.h5 --overwrite
make_store small.h5 40 64 125
refuses 2 'small.h5 has plans of 125 m a side, tiles.h5 tiles of 250. Hint: civitas-preprocess --tile-metres 125' \
  civitas evaluate --plans small.h5 --tiles tiles.h5 --output none.txt
[ ! -e none.txt ] || fail 'an output of what was refused'
make_store one.h5 1 64
refuses 1 'one.h5 has 1 plans, at least 2 are needed. Hint: civitas generate' \
  civitas evaluate --plans one.h5 --tiles tiles.h5 --output none.txt
make_store few.h5 10 64
refuses 1 'at least 2 of each are needed' civitas evaluate --checkpoint run --tiles few.h5
