#!/usr/bin/env bash
# Compares nets with torchvision's: random weights of its models go through `civitas import`, and the logits of
# `civitas classify` are those of PyTorch. Needs a Python with torch, torchvision and Pillow; says so where it has not.
#
#   bash tests/torchvision.sh [vgg16 resnet50 ...]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export PATH=${BIN:-$root/build/release/bin}:$PATH
if ! python3 -c 'import PIL, torch, torchvision' 2>/dev/null; then
  echo 'not compared: python3 imports no PIL, torch and torchvision'
  exit 0
fi
models=("$@")
[ ${#models[@]} -gt 0 ] || models=(vgg16 resnet50)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

python3 - "${models[@]}" <<'PYTHON'
import json, os, sys, numpy, torch, torchvision
from PIL import Image
pixels = numpy.random.default_rng(1).integers(0, 256, (8, 3, 224, 224), dtype=numpy.uint8)
for i, image in enumerate(pixels):
    os.makedirs(f"images/class{i // 4}", exist_ok=True)
    Image.fromarray(image.transpose(1, 2, 0)).save(f"images/class{i // 4}/{i}.png")
for name in sys.argv[1:]:
    torch.manual_seed(1)
    model = getattr(torchvision.models, name)(weights=None)
    for key, value in model.state_dict().items():
        if key.endswith("running_mean"): value.normal_(0, 0.1)
        if key.endswith("running_var"): value.uniform_(0.5, 1.5)
    model.eval()
    mean, deviation = (torch.tensor(v).view(1, 3, 1, 1) for v in ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)))
    with torch.no_grad():
        logits = model((torch.from_numpy(pixels).float() / 255 - mean) / deviation)
    numpy.save(name + ".npy", logits.numpy())
    header, values, at = {}, [], 0
    for key, value in model.state_dict().items():
        raw = value.contiguous().numpy().tobytes()
        header[key] = dict(dtype="I64" if value.dtype == torch.int64 else "F32", shape=list(value.shape),
                           data_offsets=[at, at + len(raw)])
        values.append(raw)
        at += len(raw)
    words = json.dumps(header).encode()
    with open(name + ".safetensors", "wb") as file:
        file.write(len(words).to_bytes(8, "little") + words + b"".join(values))
PYTHON
civitas-preprocess --images images --output images.h5 --pixels 224 --test-share 0.25 >/dev/null
for model in "${models[@]}"; do
  net=${model%%[0-9]*}-${model##*[a-z]}
  civitas import --from "$model.safetensors" --net "$net" --to "$model.h5"
  civitas classify --checkpoint "$model.h5" --tiles images.h5 --labels none --split all --logits --output "$model.csv"
  civitas export --checkpoint "$model.h5" --to again.safetensors --overwrite
  python3 - "$model" <<'PYTHON'
import csv, json, sys, numpy, torch, torchvision
model = sys.argv[1]
rows = list(csv.reader(open(model + ".csv")))[1:]
ours, theirs = numpy.array([[float(x) for x in row[6:]] for row in rows]), numpy.load(model + ".npy")
apart = abs(ours - theirs).max() / abs(theirs).max()
spread = abs(theirs - theirs.mean(0)).max() / abs(theirs).max()
print(f"{model}: logits up to {abs(theirs).max():.3g}, differ by {apart:.1e} of that; images by {spread:.1e}")
assert ours.shape == theirs.shape and apart <= 1e-4 < spread
raw = open("again.safetensors", "rb").read()
begin = 8 + int.from_bytes(raw[:8], "little")
header = json.loads(raw[8:begin])
assert header.pop("__metadata__")["torchvision"] == model
again = getattr(torchvision.models, model)(weights=None)
again.load_state_dict({k: torch.from_numpy(numpy.frombuffer(raw, "<f4", numpy.prod(t["shape"]), begin +
                       t["data_offsets"][0]).reshape(t["shape"]).copy()) for k, t in header.items()}, strict=True)
PYTHON
done
