# The same in bf16, and what must differ does.
source "$ROOT/tests/support/runs.sh"
for n in 1 2 4; do train $n on.$n --steps 20 --precision bf16; done
same on.1 on.2
same on.1 on.4
train 2 redrawn --steps 20 --precision bf16 --redraw --recompute --schedule naive
same on.1 redrawn
train 2 other --steps 20 --precision bf16 --seed 2
[ "$(fingerprint on.1)" != "$(fingerprint other)" ] || fail "another seed gives the same bits"
