# The table of recipes: figures of two seeds on the way and at the end, pictures, and a second start that only prints.
civitas-preprocess --sample 1 --output tiles.h5 >log 2>&1 || fail "$(cat log)"
small="--nz 8 --generator-widths 8,8,8,8 --discriminator-widths 8,8,8,8 --batch 8 --micro-batch 8"
recipe() { STEPS=4 EVERY=2 OPTIONS=$small bash "$ROOT/tests/bench/recipe.sh" tiles.h5 2 runs "$1"; }
recipe hinge >table 2>progress || fail "$(cat table progress)"
number='[0-9.e+-]+ '
for name in 'hinge, 2 steps' hinge; do
  grep -qE "^$name +($number$number *){7,8}$" table || fail "no figures of two seeds of $name: $(cat table)"
done
grep -qE "^real tiles +($number +){7}$" table || fail "no figures of real tiles: $(cat table)"
for seed in 1 2; do [ -s "runs/hinge-$seed.png" ] || fail "no picture of seed $seed"; done
ls -l --time-style=full-iso runs/hinge-1 runs/*.figures >before
recipe hinge >again 2>>progress || fail "$(cat again progress)"
tail -n 3 again | cmp - <(tail -n 3 table) || fail "another table: $(cat again)"
ls -l --time-style=full-iso runs/hinge-1 runs/*.figures | cmp - before || fail "what was done was done again"
if recipe nothing >log 2>&1; then fail 'an unknown recipe was taken'; fi
grep -q "unknown recipe 'nothing'" log || fail "$(cat log)"
