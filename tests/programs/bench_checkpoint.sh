# What checkpoints cost: a table with both modes, and the same figures as JSON.
OPTIONS="--net dcgan-64 --nz 8 --generator-widths 8,8,8,8 --discriminator-widths 8,8,8,8 --batch 8 --micro-batch 4" \
  bash "$ROOT/tests/bench/checkpoint.sh" 1 1 figures.json >table 2>progress || fail "$(cat table progress)"
for mode in sync async; do
  grep -qE "^\| \`$mode\` \| [0-9.]+ s \| -?[0-9.]+ s \|$" table || fail "no $mode: $(cat table)"
  grep -qE "^round 1, $mode: training waited 0?\.?[0-9.]+ s for 2 saves" progress || fail "no $mode: $(cat progress)"
done
! grep -q 'async: training waited 0 s' progress || fail "nothing was waited for: $(cat progress)"
ratio=$(python3 -c 'import json; print(json.load(open("figures.json"))["ratio_of_waits"])')
grep -qE "waits 0*${ratio}[0-9]* of a" table || fail "another ratio than $ratio: $(cat table)"
