# Plans do not depend on how many are drawn or by how many ranks; stores and sheets are whole.
make_store tiles.h5 40 128
ranks 1 civitas train --tiles tiles.h5 --run run --net dcgan-64 --generator-widths 8,8,8,8 \
  --discriminator-widths 8,8,8,8 --nz 8 --batch 8 --micro-batch 4 --steps 3 --threads 1
ranks 1 civitas generate --checkpoint run --count 9 --seed 5 --output one.h5 --sheet one.png
ranks 4 civitas generate --checkpoint run --count 9 --seed 5 --output four.h5 --sheet four.png
ranks 1 civitas generate --checkpoint run --count 2 --seed 18446744073709551615 --output seed.h5
ranks 2 civitas generate --checkpoint run/checkpoints/step-00000003.h5 --count 12 --seed 5 \
  --output more.h5 --anchor 2600000,1200000
for store in one four more; do
  civitas inspect $store.h5 | grep 'whole: every tile can be read' >/dev/null || fail "$store.h5 is not whole"
done
/usr/bin/python3 - <<'PYTHON' || fail "the plans differ"
import h5py
one, four, more = (h5py.File(name + ".h5") for name in ("one", "four", "more"))
assert one["tiles"].shape == (9, 128, 128) and more["tiles"].shape == (12, 128, 128)
for name in ("tiles", "cover", "variance"):
    assert (one[name][:] == four[name][:]).all(), name + " on four ranks"
    assert (one[name][:] == more[name][:9]).all(), name + " of more plans"
# Plans fill a square with gaps of a fifth of a tile, whatever their number.
assert more["origin"][1].tolist() == [2600300.0, 1200000.0], more["origin"][1]
assert one["origin"][:, 0].max() == 600 and one["origin"][:, 1].min() == -600, one["origin"][:]
assert len({tuple(place) for place in more["origin"][:].tolist()}) == 12
anchors = [h.attrs["anchor"] for h in (one, more)]
assert [a.decode() if isinstance(a, bytes) else a for a in anchors] == ["none", "2600000,1200000"]
assert int(h5py.File("seed.h5").attrs["seed"]) == 2**64 - 1
assert b"learnt from tiles under: synthetic" in one["licence"][()], one["licence"][()]
assert 0 <= one["cover"][:].min() and one["cover"][:].max() <= 1
PYTHON
# What tiles say of their ground goes on to plans: a licence of any length, a system of coordinates without a number.
/usr/bin/python3 - <<'PYTHON' || fail "no stores of other ground"
import h5py, numpy, shutil
wkt = 'LOCAL_CS["the town\'s own",UNIT["metre",1],AXIS["Easting",EAST],AXIS["Northing",NORTH]]'
for name, crs in (("own.h5", wkt), ("none.h5", "")):
    shutil.copy("tiles.h5", name)
    with h5py.File(name, "r+") as tiles:
        tiles.attrs["crs_epsg"] = 0
        for key, words in (("crs_wkt", crs), ("licence", "x" + "ü" * 3000 + " end")):
            del tiles[key]
            tiles[key] = numpy.bytes_(words.encode())
        del tiles["index"], tiles["checksum"]
PYTHON
for store in own none; do
  ranks 1 civitas train --tiles $store.h5 --run $store --net dcgan-64 --generator-widths 8,8,8,8 \
    --discriminator-widths 8,8,8,8 --nz 8 --batch 8 --micro-batch 4 --steps 1 --threads 1
  civitas generate --checkpoint $store --count 1 --anchor 10,20 --output on-$store.h5 >said 2>&1 || fail "$(cat said)"
  grep -c 'names no coordinate system: --anchor' said >warned-$store || true
done
[ "$(cat warned-own) $(cat warned-none)" = '0 1' ] || fail "warned of: $(cat warned-own) $(cat warned-none)"
/usr/bin/python3 - <<'PYTHON' || fail "the ground of tiles is lost"
import h5py
tiles, plans = h5py.File("own.h5"), h5py.File("on-own.h5")
assert plans["crs_wkt"][()] == tiles["crs_wkt"][()], plans["crs_wkt"][()]
assert plans["licence"][()].endswith(tiles["licence"][()]), plans["licence"][()]
PYTHON
# At the generator's own size; enlarged, what is beside a new piece of road gives way by a part of its pixels.
ranks 1 civitas generate --checkpoint run --count 9 --seed 5 --output joined.h5 --pixels 64
ranks 1 civitas generate --checkpoint run --count 9 --seed 5 --output drawn.h5 --pixels 64 --post-process=false
/usr/bin/python3 - <<'PYTHON' || fail "more was changed than gaps"
import h5py
joined, drawn = h5py.File("joined.h5"), h5py.File("drawn.h5")
assert (joined["cover"][:] == drawn["cover"][:]).all(), "the cover is that of the plan as drawn"
before, after = drawn["tiles"][:], joined["tiles"][:]
changed = before != after
assert changed.any(), "no gap was closed"
assert (before[changed] == 0).all() and (after[changed] == 1).all(), "not only open ground became road"
PYTHON
# Of 256 pixels outlines are smooth, too: for any number of ranks, and in plans larger than a tile.
make_store fine.h5 20 256
ranks 1 civitas train --tiles fine.h5 --run fine --net dcgan-256 --generator-widths 8,8,8,8,8,8 \
  --discriminator-widths 8,8,8,8,8,8 --nz 8 --batch 4 --micro-batch 4 --steps 1 --threads 1
ranks 1 civitas generate --checkpoint fine --count 3 --output fine-one.h5
ranks 2 civitas generate --checkpoint fine --count 3 --output fine-two.h5
ranks 1 civitas generate --checkpoint fine --count 3 --output fine-drawn.h5 --post-process=false
for choice in true false; do
  ranks 1 civitas generate --checkpoint fine --grid 2x1 --candidates 8 --output grid-$choice.h5 --post-process=$choice
done
/usr/bin/python3 - <<'PYTHON' || fail "outlines are not smooth"
import h5py
tiles = {name: h5py.File(name + ".h5") for name in ("fine-one", "fine-two", "fine-drawn", "grid-true", "grid-false")}
# Of three pixels side by side the outer two are alike, and the middle one is not.
def teeth(name):
    t = tiles[name]["tiles"][:]
    return ((t[:, :, :-2] == t[:, :, 2:]) & (t[:, :, 1:-1] != t[:, :, 2:])).mean()
assert (tiles["fine-one"]["tiles"][:] == tiles["fine-two"]["tiles"][:]).all()
assert teeth("fine-one") < 0.5 * teeth("fine-drawn"), (teeth("fine-one"), teeth("fine-drawn"))
assert teeth("grid-true") < 0.5 * teeth("grid-false"), (teeth("grid-true"), teeth("grid-false"))
for name, choice in {"fine-one": b"true", "fine-drawn": b"false", "grid-false": b"false"}.items():
    said = tiles[name].attrs["post-process"]
    assert (said if isinstance(said, bytes) else said.encode()) == choice, name
PYTHON
civitas inspect drawn.h5 >drawn.txt
grep -q 'made by: civitas generate --seed 5 --count 9 --pixels 64 --post-process=false' drawn.txt ||
  fail "$(cat drawn.txt)"
cmp one.png four.png || fail "the sheets differ"
civitas inspect one.h5 | grep 'plans (synthetic) of 128 px, 250 m, EPSG:2056' >/dev/null || fail "size or CRS are lost"
civitas inspect one.h5 | grep 'synthetic' >/dev/null || fail "plans do not say that they are synthetic"
civitas inspect seed.h5 | grep -E 'seed +18446744073709551615$' >/dev/null || fail "the seed is rounded"
civitas inspect one.h5 >one.txt
grep -Eq 'plans +9, mean cover building' one.txt || fail "plans are not called plans"
grep -q 'before arg-max' one.txt || fail "the soft cover is not told apart from the pixels"
grep -q training one.txt && fail "plans are called training tiles"
civitas inspect run |
  grep -Eq '^step 3 of 3, d_loss [^,]+, g_loss [^,]+, d_real [^,]+, d_fake [^,]+, seconds [^, ]+$' ||
  fail "a run does not say how far it got"

# Two at once of one output: one writes it, the other says so, and a download named alike is left alone.
echo 'half a download' >twice.h5.part
cp twice.h5.part download
draw_twice() {
  for one in 1 2; do
    (
      rc=0
      timeout 100 civitas generate --checkpoint run --count 9 --seed $one --output twice.h5 "$@" \
        >"said$one" 2>&1 || rc=$?
      echo $rc >"code$one"
    ) &
    sleep 0.15
  done
  wait
  civitas inspect twice.h5 >twice.txt 2>&1 || fail "$(cat said1 said2 twice.txt)"
  grep -q 'whole: every tile can be read' twice.txt || fail "$(cat said1 said2 twice.txt)"
}
draw_twice
[ "$(cat code1 code2 | grep -c '^0$')" = 1 ] || fail "$(cat said1 said2)"
cat said1 said2 | grep -q -e 'exists already' -e 'appeared while this program ran' || fail "$(cat said1 said2)"
draw_twice --overwrite
[ "$(cat code1 code2 | xargs)" = '0 0' ] || fail "$(cat said1 said2)"
cmp twice.h5.part download || fail "a file that was named like a part has changed"
[ "$(find . -name '*.part*')" = ./twice.h5.part ] || fail "left: $(find . -name '*.part*')"
# A program that was started alone keeps no temporary files that another could remove.
TMPDIR=$PWD/download run civitas generate --checkpoint run --count 1 --output nowhere.h5

# A plan of tiles that fit each other: the same on any number of ranks, its tiles side by side, its map
# without gaps, its neighbours joined where it is traced.
ranks 1 civitas generate --checkpoint run --grid 3x2 --candidates 20 --output grid.h5 --sheet grid.png \
  --anchor 2600000,1200000
ranks 3 civitas generate --checkpoint run --grid 3x2 --candidates 20 --output grid3.h5
/usr/bin/python3 - <<'PYTHON' || fail "the tiles of a grid are wrong"
import h5py
one, three = (h5py.File(name + ".h5") for name in ("grid", "grid3"))
assert one["tiles"].shape == (6, 128, 128)
for name in ("tiles", "cover", "variance"):
    assert (one[name][:] == three[name][:]).all(), name + " on three ranks"
places = [(2600000.0 + 250 * (i % 3), 1200000.0 - 250 * (i // 3)) for i in range(6)]
assert [tuple(place) for place in one["origin"][:].tolist()] == places, one["origin"][:]
PYTHON
/usr/bin/python3 - <<'PYTHON' || fail "the map of a grid is not as large as its tiles"
import struct
width, height = struct.unpack(">II", open("grid.png", "rb").read(24)[16:])
assert (width, height) == (384, 256), (width, height)
PYTHON
civitas inspect grid.h5 | grep -Eq 'grid +3x2' || fail 'a grid does not say how large it is'
civitas evaluate --plans grid.h5 --tiles tiles.h5 --pixels 64 --output grid.txt >grid.said ||
  fail "$(cat grid.said)"
grep -q 'roads over borders' grid.said || fail "$(cat grid.said)"
grep -q '^plans.seam_road = ' grid.txt || fail 'the figures of seams are not written'
civitas evaluate --plans one.h5 --tiles tiles.h5 --pixels 64 --output apart.txt >/dev/null
grep -q seam_ apart.txt && fail 'plans that lie apart have seams'

refused() { # WORDS... -- OPTIONS...: the message has all words
  local words=()
  while [ "$1" != -- ]; do words+=("$1") && shift; done
  shift
  rc=0
  civitas generate --checkpoint run --output no.h5 "$@" >said 2>&1 || rc=$?
  [ $rc = 2 ] || fail "$* ended with $rc: $(cat said)"
  for word in "${words[@]}"; do grep -qF -- "$word" said || fail "no '$word': $(cat said)"; done
  [ ! -e no.h5 ] || fail "$* wrote a store"
}
for grid in 3 3x 3x0 0x3 x3 3x2x1 3,2 257x1 -1x2; do
  refused "--grid $grid: expected COLUMNSxROWS" '--grid 4x3' -- --grid=$grid
done
refused 'exclude each other' -- --grid 2x2 --count 4
refused '--candidates counts with --grid alone' -- --candidates 4
refused '--candidates 0: expected 1 to' -- --grid 2x2 --candidates 0
refused 'is made of 3 x 3 plans, and --candidates 8 are fewer' '--candidates 72' -- --grid 2x2 --candidates 8
refused 'tiles of 100 pixels a side are no multiple' '--pixels 64' -- --grid 1x1 --pixels 100
refused 'takes more than' 'tiles at most' -- --grid 256x256 --candidates 100000
refused 'take more than' 'at most' -- --grid 1x1 --candidates 1000000
