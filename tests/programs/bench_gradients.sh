# Gradients of a step beside those in fp64: those in fp32 are near, those in bf16 farther off, by our kernels by little
# more than by ATen's, and other tiles move the nets far more than any rounding.
civitas-preprocess --sample 1 --output tiles.h5 >log 2>&1 || fail "$(cat log)"
ranks 1 civitas train --tiles tiles.h5 --run run --net dcgan-64 --generator-widths 32,32,32,32,32 \
  --discriminator-widths 32,32,32,32 --batch 4 --micro-batch 2 --steps 5 --threads 1 --sample-every 0 >log 2>&1
gradients() { /usr/bin/python3 "$ROOT/tests/bench/gradients.py" "$@"; }
gradients run tiles.h5 >table 2>log || fail "$(cat table log)"
row() { sed -n "s/^$1  *\([0-9.]*\)  *\([0-9.]*\)$/\1 \2/p" table; }
read -r generator discriminator < <(row 'fp32, --kernels fast')
read -r generator_aten discriminator_aten < <(row 'bf16, --kernels aten')
read -r generator_bf16 discriminator_bf16 < <(row 'bf16, --kernels fast')
read -r generator_other discriminator_other < <(row 'other tiles and noise, fp64')
for net in generator discriminator; do
  aten=${net}_aten bf16=${net}_bf16 other=${net}_other
  awk "BEGIN { exit !(${!net} < 0.01 && ${!bf16} > ${!net} && ${!bf16} < 2 * ${!aten} && ${!other} > 3 * ${!bf16}) }" ||
    fail "gradients of the $net: $(cat table)"
done
[ "$(ls run/checkpoints)" = step-00000005.h5 ] || fail "the run has gone on: $(ls run/checkpoints)"
if gradients run nothing.h5 >table 2>log; then fail 'a store that is not there was read'; fi
grep -q 'error: there is no file "nothing.h5"' log || fail "$(cat log)"
if gradients run >table 2>log; then fail 'a missing argument was taken'; fi
grep -q 'gradients.py RUN TILES.h5' log || fail "$(cat log)"
