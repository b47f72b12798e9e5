# A step beside PyTorch: a table, the same figures as JSON and as a picture. PyTorch's side is pretended here: what it
# is told, and when, is in the file `turns`.
mkdir -p fake/torch
echo '__version__ = "0.0"; nn = None
class cuda: is_available = staticmethod(lambda: False)' >fake/torch/__init__.py
cat >worker.py <<'END'
import json, sys
case = json.loads(sys.argv[1])
if case["batch"] == 5: sys.exit("no room for 5 tiles")
print("{}", flush=True)
for line in sys.stdin:
    print(case["mode"], case["rank"], line.strip(), file=open("turns", "a"))
    print(json.dumps({"seconds": [2.0] * int(line) + [50.0], "faults": 70 * int(line),
                      "core_seconds": 3 * int(line)}), flush=True)
END
bench() { PYTHONPATH=$WORK/fake bash "$ROOT/tests/bench/step.sh" --worker worker.py "$@"; }

# Two real ranks, and two pretended ones of DDP.
OPTIONS="--nz 8 --generator-widths 8,8,8,8 --discriminator-widths 8,8,8,8 --micro-batch 2" \
  bench --cases dcgan-64:fp32:4:2x1 --sides civitas,ddp --rounds 1 --steps 8 --json figures.json \
  --svg picture.svg >table 2>progress || fail "$(cat table progress)"
[ "$(sort turns)" = "$(printf 'ddp 0 8\nddp 1 8')" ] || fail "other turns than one of two ranks: $(cat turns)"
# shellcheck disable=SC2016
grep -qE '^\| `dcgan-64` \| fp32 \| 4 \| 2 ranks × 1 thread \| [0-9.e-]+ s \| 2 s: .* \|'\
' (Civitas [0-9.e-]+, )?PyTorch DDP 6 \|'\
' (Civitas [0-9]+, )?PyTorch DDP 70 \| [0-9.]+ % \|$' table || fail "figures are missing: $(cat table)"
python3 - <<'END' || fail "$(cat table figures.json)"
import json, re, xml.dom.minidom
sides = json.load(open("figures.json"))["cases"][0]["sides"]
ratio = sides["ddp"][0]["seconds"] / sides["civitas"][0]["seconds"]
told = float(re.search(r"\| 2 s: \*\*([0-9.]+)\*\*", open("table").read())[1])
assert abs(told - ratio) < 0.006, (told, ratio)
xml.dom.minidom.parse("picture.svg")
END

# Rounds alternate; a round's middle step counts.
rm turns
bench --cases dcgan-64:fp32:4:1x1 --sides eager,compile --rounds 2 --steps 3 >table 2>progress || fail "$(cat progress)"
[ "$(cut -d ' ' -f 1 turns | xargs)" = 'eager compile compile eager' ] || fail "rounds do not alternate: $(cat turns)"

refuses 1 "no room for 5 tiles" bench --cases dcgan-64:fp32:5:1x1 --sides eager
refuses 1 "the case 'dcgan-64:8' cannot be read. Hint: net:precision:batch" bench --cases dcgan-64:8
refuses 1 'gives 2 ranks of 1 threads 5 tiles. Hint:' bench --cases dcgan-64:fp32:5:2x1
refuses 1 "nobody is called 'jax'. Hint:" bench --sides jax
refuses 1 'sees no GPU. Hint: --device cpu' bench --device cuda

# Where no Python imports PyTorch, it is said what to install; likewise without mpirun.
mkdir bin
printf '#!/bin/bash\nexec %s -B -E -s -S "$@"\n' "$(python3 -c 'import sys; print(sys.executable)')" >bin/python3
chmod +x bin/python3
for program in bash dirname sed g++; do ln -s "$(type -P "$program")" bin; done
bare() { env PATH="$WORK/bin" bash "$ROOT/tests/bench/step.sh" "$@"; }
refuses 1 'DIR/bin/pip install torch==2' bare --sides eager
refuses 1 'no program mpirun on the PATH. Hint:' bare --sides civitas
