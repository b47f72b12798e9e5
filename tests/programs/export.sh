# What `civitas export` writes is a state dict that PyTorch draws the same plans with.
source "$ROOT/tests/support/python.sh"
make_store tiles.h5 40 64
small=(--tiles tiles.h5 --net dcgan-64 --generator-widths 8,12,8,8,4 --discriminator-widths 8,12,8,8 --nz 8
       --batch 8 --micro-batch 4 --steps 20 --generator-lr 2e-3 --threads 1 --sample-every 0)
run civitas train --run run "${small[@]}" --ema 0.5 >log
run civitas train --run plain "${small[@]}" --ema 0 --coding grey --precision fp64 >log
run civitas export --checkpoint run --to g.safetensors --latents 5 --seed 7
ranks 2 civitas export --checkpoint run/checkpoints/step-00000020.h5 --to two.safetensors --latents 5 --seed 7
cmp g.safetensors two.safetensors || fail 'two ranks write another file'
run civitas export --checkpoint run --to last.safetensors --weights last >said
grep -q '^wrote last.safetensors: generator of step 20, its last weights$' said || fail "$(cat said)"
run civitas export --checkpoint run --to d.safetensors --net discriminator
run civitas export --checkpoint plain --to plain.safetensors --latents 3
run civitas generate --checkpoint run --count 5 --seed 7 --output run.h5 --pixels 64 --post-process=false
run civitas generate --checkpoint plain --count 3 --output plain.h5 --pixels 64

"$python" - <<'PYTHON' || fail 'see above'
import collections, glob, json, h5py, numpy, torch
from torch import nn

def read(name):
    raw = open(name, "rb").read()
    length = int.from_bytes(raw[:8], "little")
    assert length % 8 == 0, "values do not begin at a multiple of eight bytes"
    header, data = json.loads(raw[8:8 + length]), raw[8 + length:]
    about, tensors, end = header.pop("__metadata__"), {}, 0
    for tensor, t in header.items():
        assert t["dtype"] == "F32" and t["data_offsets"][0] == end, tensor
        end = t["data_offsets"][1]
        tensors[tensor] = numpy.frombuffer(data[slice(*t["data_offsets"])], "<f4").reshape(t["shape"])
    assert end == len(data), "bytes that belong to no tensor"
    return about, tensors

# Statistics that are taken anew have the shape alone, as those that a mean of weights draws with.
def same_as_checkpoint(tensors, run, group_of, anew=False):
    file = h5py.File(glob.glob(run + "/checkpoints/*20.h5")[0])
    for name, values in tensors.items():
        kept = file[group_of("buffers" if ".running_" in name else "parameters")][name][:]
        same = (kept.astype("f4") == values).all()
        assert kept.shape == values.shape and same != (anew and ".running_" in name), name

def net(name):
    about, tensors = read(name)
    layers = [(layer, getattr(nn, kind)(**options)) for layer, kind, options in json.loads(about["layers"])]
    module, z = nn.Sequential(collections.OrderedDict(layers)).eval(), tensors.pop("latents", None)
    module.load_state_dict({key: torch.from_numpy(values.copy()) for key, values in tensors.items()})
    def draw(x):
        with torch.no_grad():
            return module(torch.from_numpy(x.copy())).numpy()
    return about, tensors, z, draw

about, tensors, z, draw = net("g.safetensors")
expected = dict(net="dcgan-64", part="generator", nz="8", pixels="64", coding="colour", step="20", weights="mean",
                seed="7")
assert expected.items() <= about.items() and about["program"].startswith("civitas "), about
assert h5py.File("run.h5").attrs["fingerprint"].astype(str) == about["fingerprint"]
same_as_checkpoint(tensors, "run", lambda group: "generator/ema", anew=True)
assert z.shape == (5, 8, 1, 1) and len(set(z.ravel().tolist())) == 40
same_as_checkpoint(read("last.safetensors")[1], "run", lambda group: "generator/" + group)

# Pixel by pixel, but for those where two channels are equal within rounding.
def same_plans(classes, x, cover, plans):
    ordered = numpy.sort(x, axis=1)
    clear = ordered[:, -1] - ordered[:, -2] > 1e-5 if x.shape[1] == 3 else abs(abs(x[:, 0]) - 0.5) > 1e-5
    assert clear.mean() > 0.9, clear.mean()
    assert (classes == plans["tiles"][:])[clear].all(), "other pixels"
    assert abs(cover - plans["cover"][:]).max() < 1e-5, abs(cover - plans["cover"][:]).max()

x = draw(z)
same_plans(2 - x.argmax(1), x, ((x + 1) / 2).mean((2, 3))[:, ::-1], h5py.File("run.h5"))
about, tensors, z, draw = net("plain.safetensors")
assert (about["weights"], about["coding"]) == ("last", "grey"), about
same_as_checkpoint(tensors, "plain", lambda group: "generator/" + group)
g = draw(z)
shares = numpy.stack([numpy.clip(-g, 0, 1), 1 - numpy.minimum(abs(g), 1), numpy.clip(g, 0, 1)], -1)
same_plans((g[:, 0] >= -0.5).astype(int) + (g[:, 0] > 0.5), g, shares.mean((1, 2, 3)), h5py.File("plain.h5"))

about, tensors, z, draw = net("d.safetensors")
assert z is None and about["part"] == "discriminator" and "seed" not in about, about
same_as_checkpoint(tensors, "run", lambda group: "discriminator/" + group)
logits = draw(x)
assert logits.shape == (5, 1, 1, 1) and numpy.isfinite(logits).all() and len(set(logits.ravel().tolist())) == 5
PYTHON

refuses 2 '--weights mean: "plain/checkpoints/step-00000020.h5" has no mean, its run had --ema 0. Hint: --weights' \
  civitas export --checkpoint plain --to new.safetensors --weights mean
refuses 2 'no mean is kept of a discriminator' civitas export --checkpoint run --to new.safetensors \
  --net discriminator --weights mean
refuses 2 'a discriminator reads no noise. Hint: --net generator' civitas export --checkpoint run \
  --to new.safetensors --net discriminator --latents 1
refuses 2 "unknown net 'critic'. Hint: generator, discriminator or classifier" \
  civitas export --checkpoint run --to new.safetensors --net critic
refuses 2 '--latents -1: expected 0 to 1000000' civitas export --checkpoint run --to new.safetensors --latents -1
refuses 2 'there is no checkpoint or run folder "gone"' civitas export --checkpoint gone --to new.safetensors
[ -z "$(find . -name 'new*')" ] || fail "left: $(find . -name 'new*')"
