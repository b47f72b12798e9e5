# Plans that are asked for a cover, or to be like a town: the same bits on every layout and after a resume, a wish that
# is obeyed, and clear words for what cannot be asked for.
P=$BIN/civitas-preprocess
for style in industry suburb; do
  run "$P" --sample 1 --sample-style $style --output $style.h5 --pixels 64 >/dev/null
done
run "$P" industry.gpkg suburb.gpkg --output towns.h5 --pixels 64 >/dev/null
net=(--net dcgan-64 --generator-widths 8,8,8,8 --discriminator-widths 8,8,8,8 --nz 8
     --micro-batch 2 --sample-every 0)
train() {
  local n=$1 run=$2
  shift 2
  ranks "$n" civitas train --tiles towns.h5 --run "$run" "${net[@]}" --threads "${threads:-1}" "$@" >said
}
fingerprint() { grep -h '^fingerprint' "$1/log/rank-0.txt" | tail -n 1; }
same() {
  [ -n "$(fingerprint "$1")" ] && [ "$(fingerprint "$1")" = "$(fingerprint "$2")" ] ||
    fail "fingerprints of $1 and $2 differ"
}

# Layouts, levels of sharding, replicas, kernels of our own; then a run that goes on from half-way on other ranks.
few=(--batch 8 --steps 2)
for kind in cover source; do
  train 1 $kind --condition $kind "${few[@]}"
  train 2 $kind.pipe --condition $kind "${few[@]}" --mesh pipe=2 --schedule gan --redraw
  train 2 $kind.data --condition $kind --batch 8 --steps 1 --shard parameters
  train 1 $kind.data --condition $kind "${few[@]}"
  for other in pipe data; do same $kind $kind.$other; done
done
few+=(--condition cover)
train 4 cover.both "${few[@]}" --mesh data=2,pipe=2 --schedule zero-bubble --recompute
threads=2 train 1 cover.replicas "${few[@]}" --replicas 2
for other in both replicas; do same cover cover.$other; done
train 1 cover.fast "${few[@]}" --kernels fast --precision bf16
train 2 cover.fast.pipe "${few[@]}" --kernels fast --precision bf16 --mesh pipe=2
same cover.fast cover.fast.pipe
train 2 cover.tensor "${few[@]}" --mesh tensor=2
for update in async server; do train 2 cover.$update "${few[@]}" --update $update; done
[ "$(fingerprint cover)" != "$(fingerprint source)" ] || fail 'the condition changes nothing'
cmp cover/samples/step-00000002.png cover.both/samples/step-00000002.png || fail 'other ranks draw another sheet'

# A wish is part of what a plan is; where nobody says, plans are asked to be as training tiles are.
run civitas generate --checkpoint cover --count 3 --cover 0.25,0.15 --output one.h5 >/dev/null
ranks 2 civitas generate --checkpoint cover --count 3 --cover 0.25,0.15 --output two.h5 >/dev/null
run civitas generate --checkpoint cover --count 3 --cover 0.1,0.15 --output less.h5 >/dev/null
run civitas generate --checkpoint cover --count 3 --output any.h5 >/dev/null
run civitas inspect one.h5 >said
grep -q 'generate --seed 1 --count 3 --cover 0.25,0.15$' said || fail "the wish is not told: $(cat said)"
run civitas generate --checkpoint source --count 3 --like industry --output industry.plans.h5 >/dev/null
run civitas generate --checkpoint source --count 3 --like suburb.gpkg --output suburb.plans.h5 >/dev/null
run civitas inspect one.h5 >said
grep -Eq 'wish +cover 0.25,0.15$' said || fail "a store does not say what was wished: $(cat said)"
run civitas inspect source >said
grep -q '^condition *= *source' said || fail "a run does not say its condition: $(cat said)"

# What is learnt is obeyed: more buildings where more are wished, more roads where more are.
train 1 learnt --condition cover --batch 8 --steps 150 --generator-lr 0.01 --condition-weight 10
i=0
for wish in 0.10,0.15 0.35,0.15 0.20,0.08 0.20,0.25; do
  run civitas generate --checkpoint learnt --count 8 --cover $wish --output wish$((i += 1)).h5 >/dev/null
done
run civitas evaluate --checkpoint learnt --tiles towns.h5 --output figures.txt --page page.html >said
grep -q '^As the plans were asked to be' said || fail "no figures of obedience: $(cat said)"
grep -q 'As the plans were asked to be' page.html || fail 'a page without obedience'
run civitas export --checkpoint learnt --to g.safetensors --latents 5
/usr/bin/python3 - <<'PYTHON' || fail 'see above'
import h5py, json, numpy
tiles = {name: h5py.File(name + ".h5")["cover"][:] for name in ("one", "two", "less", "any")}
assert (tiles["one"] == tiles["two"]).all() and (tiles["one"] != tiles["less"]).any()
assert (tiles["one"] != tiles["any"]).any()
a, b = (h5py.File(name + ".plans.h5")["cover"][:] for name in ("industry", "suburb"))
assert (a != b).any()
cover = [h5py.File("wish%d.h5" % i)["cover"][:].mean(0) for i in (1, 2, 3, 4)]  # other, road, building
assert cover[1][2] - cover[0][2] > 0.1, cover
assert cover[3][1] - cover[2][1] > 0.05, cover
figures = dict(line.split(" = ") for line in open("figures.txt").read().splitlines())
assert float(figures["wished.building.error"]) < 0.1, figures
assert float(figures["wished.building.correlation"]) > 0.5, figures
raw = open("g.safetensors", "rb").read()
header = json.loads(raw[8:8 + int.from_bytes(raw[:8], "little")])
about, latents = header["__metadata__"], header["latents"]
assert about["condition"] == "cover" and len(about["condition-scale"].split()) == 4, about
assert latents["shape"] == [5, 10, 1, 1], latents  # noise, then what is asked
begin = 8 + int.from_bytes(raw[:8], "little") + latents["data_offsets"][0]
c = numpy.frombuffer(raw[begin:begin + 5 * 10 * 4], "<f4").reshape(5, 10)[:, 8:]
mean_b, deviation_b, mean_r, deviation_r = map(float, about["condition-scale"].split())
sample = numpy.array(about["condition-sample"].split(), float).reshape(-1, 2)
asked = c * [deviation_b, deviation_r] + [mean_b, mean_r]
assert all(abs(sample - one).max(1).min() < 1e-5 for one in asked), asked
PYTHON

# Plans like each town, beside the test tiles of each; the same where a store has the towns in another order.
run "$P" suburb.gpkg industry.gpkg --output turned.h5 --pixels 64 >/dev/null
run civitas evaluate --checkpoint source --tiles towns.h5 --output like.json --page like.html >said
grep -Eq '^As the towns that were asked for +to 1 +to 2$' said || fail "no figures of likeness: $(cat said)"
grep -Eq '^  1 industry.gpkg +plans' said || fail "no plans like a town: $(cat said)"
grep -q 'plans like suburb.gpkg' like.html || fail 'a page without likeness'
run civitas evaluate --checkpoint source --tiles turned.h5 --output like.txt >/dev/null
run civitas evaluate --checkpoint source --tiles suburb.h5 >said
grep -q 'towns that were asked for' said && fail 'likeness of towns that are not there'
/usr/bin/python3 - <<'PYTHON' || fail 'see above'
import json, math
like = json.load(open("like.json"))["like"]
towns = like["towns"]
assert like["count"] >= 2 and like["left_out"] == 0, like
assert [town["town"] for town in towns] == ["industry.gpkg", "suburb.gpkg"], towns
for own, town in enumerate(towns):  # of real tiles it is known what they are like
    assert town["training"][own] < town["training"][1 - own], towns
assert towns[0]["plans"] != towns[1]["plans"], towns
lines = dict(line.split(" = ") for line in open("like.txt").read().splitlines())
assert lines["like.2.town"] == "suburb.gpkg", lines
assert float(lines["like.2.real.2"]) < float(lines["like.2.real.1"]), lines
for i, town in enumerate(towns, 1):
    for j, distance in enumerate(town["plans"], 1):
        assert math.isclose(float(lines[f"like.{i}.plans.{j}"]), distance, rel_tol=1e-4), (i, j, towns)
PYTHON

# What cannot be asked for.
civitas generate --checkpoint cover --count 1 --cover 0.8,0.1 --output far.h5 >said 2>&1 || fail "$(cat said)"
grep -q 'far from what was learnt: tiles had' said || fail "no warning of a far wish: $(cat said)"
generate() { civitas generate --count 1 --output none.h5 "$@"; }
train 1 plain --batch 4 --steps 1
refuses 2 'was trained with --condition none, it draws plans that nothing can be asked of. Hint: a checkpoint' \
  generate --checkpoint plain --cover 0.2,0.1
refuses 2 'was trained with --condition source' generate --checkpoint source --cover 0.2,0.1
refuses 2 'was trained with --condition cover' generate --checkpoint cover --like suburb
refuses 2 'did you mean suburb.gpkg? Known are industry.gpkg, suburb.gpkg' \
  generate --checkpoint source --like suburb.gpk
refuses 2 'cover 0.8,0.4: buildings and roads together are 1.2' generate --checkpoint cover --cover 0.8,0.4
refuses 2 'cover 20: expected the shares' generate --checkpoint cover --cover 20
refuses 2 'both given' generate --checkpoint cover --cover 0.2,0.1 --like suburb
[ ! -e none.h5 ] || fail 'an output of what was refused'
other() { civitas train --tiles "$1.h5" --run none "${net[@]}" --batch 4 "${@:2}"; }
refuses 2 "is of one source alone, 'suburb.gpkg': --condition source needs two" \
  other suburb --condition source
refuses 2 'classes 3: "towns.h5" has 2 sources' other towns --condition source --classes 3
refuses 2 "unknown condition 'town'" other towns --condition town
refuses 2 'condition cover is what plans are asked to be like, a classifier draws none' \
  civitas train --tiles towns.h5 --run none --task classify --net resnet-18 --labels source --condition cover
refuses 2 'condition-weight 1 is of the channels of buildings and roads, --coding grey has none' \
  other towns --condition cover --coding grey
refuses 2 'condition-weight' other towns --condition-weight -1
[ ! -e none ] || fail "a refused run left $(ls none)"
refuses 2 'the checkpoint was made with condition = cover, this run has none' \
  civitas train --tiles towns.h5 --run cover "${net[@]}" --batch 8 --steps 3
refuses 2 'the checkpoint was made with condition = none, this run has cover' \
  civitas train --tiles towns.h5 --run plain "${net[@]}" --batch 4 --steps 2 --condition cover
swapped() {
  civitas train --tiles turned.h5 --run source "${net[@]}" --batch 8 --steps 3 --condition source \
    --allow-change tiles "$@"
}
refuses 2 'sources = ["industry.gpkg","suburb.gpkg"], this run has ["suburb.gpkg","industry.gpkg"]. Hint: civitas-pre' \
  swapped
swapped --allow-change sources >said 2>&1 || fail "$(cat said)"
grep -q 'sources changes from \["industry.gpkg"' said || fail "no word of other sources: $(cat said)"
run civitas plan --net dcgan-64 --condition cover --ranks 2 --brief >/dev/null
