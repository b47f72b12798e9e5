# Gradients of a step beside those in fp64: those in fp32 are near, those in bf16 farther off, by our kernels by little
# more than by ATen's, and other tiles move the nets far more than any rounding.
civitas-preprocess --sample 1 --output tiles.h5 >log 2>&1 || fail "$(cat log)"
ranks 1 civitas train --tiles tiles.h5 --run run --net dcgan-64 --generator-widths 32,32,32,32,32 \
  --discriminator-widths 32,32,32,32 --batch 4 --micro-batch 2 --steps 5 --threads 1 --sample-every 0 >log 2>&1
gradients() { /usr/bin/python3 "$ROOT/tests/bench/gradients.py" "$@"; }
gradients run tiles.h5 >table 2>log || fail "$(cat table log)"
# row NAME: the generator's and the discriminator's.
row() { sed -n "s/^$1  *\([0-9.e-]*\)  *\([0-9.e-]*\)$/\1 \2/p" table | grep . || fail "no row '$1': $(cat table)"; }
read -ra fp32 <<<"$(row 'fp32, --kernels fast')"
read -ra aten <<<"$(row 'bf16, --kernels aten')"
read -ra fast <<<"$(row 'bf16, --kernels fast')"
read -ra other <<<"$(row 'other tiles and noise, fp64')"
for i in 0 1; do
  awk "BEGIN { exit !(${fp32[i]} < 1e-3 && ${fast[i]} > 10 * ${fp32[i]} && ${fast[i]} < 2 * ${aten[i]} &&
                      ${other[i]} > 3 * ${fast[i]}) }" || fail "gradients of net $i: $(cat table)"
done
if grep -qw avx2 /proc/cpuinfo; then
  [ "${aten[*]}" != "${fast[*]}" ] || fail "all by ATen: $(cat table)"
fi
[ "$(ls run/checkpoints)" = step-00000005.h5 ] || fail "the run has gone on: $(ls run/checkpoints)"
if gradients run nothing.h5 >table 2>log; then fail 'a store that is not there was read'; fi
grep -q '^error: --tiles nothing.h5: there is no such file' log || fail "$(cat log)"
if gradients run >table 2>log; then fail 'a missing argument was taken'; fi
grep -q 'gradients.py RUN TILES.h5' log || fail "$(cat log)"
if gradients tiles.h5 tiles.h5 >table 2>log; then fail 'no run was taken for one'; fi
grep -q '^error: there is no checkpoint in tiles.h5/checkpoints' log || fail "$(cat log)"
ranks 1 civitas train --tiles tiles.h5 --run sgd --net dcgan-64 --generator-widths 8,8,8,8 \
  --discriminator-widths 8,8,8,8 --batch 4 --micro-batch 2 --steps 1 --optimizer sgd --sample-every 0 >log 2>&1
if gradients sgd tiles.h5 >table 2>log; then fail 'a run without moments was taken'; fi
grep -q '^error: sgd/checkpoints/step-00000001.h5 has no moments of Adam' log || fail "$(cat log)"
