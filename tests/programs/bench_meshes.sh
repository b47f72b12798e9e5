# The table of meshes and schedules: a row with figures for each.
OPTIONS="--net dcgan-64 --nz 8 --generator-widths 8,8,8,8 --discriminator-widths 8,8,8,8" \
  OPTIONS+=" --batch 8 --micro-batch 2" bash "$ROOT/tests/bench/meshes.sh" 2 1 >table 2>progress ||
  fail "$(cat table progress)"
[ "$(wc -l <table)" = 13 ] || fail "not 10 rows between header and worst error: $(cat table)"
grep -qE '^worst error of a planned step: [+-][0-9]+ %$' table || fail "no worst error: $(cat table)"
tr -d '`' <table >plain
step='[0-9.e-]+ \([0-9.e-]+\) \| [+-][0-9]+ %'
memory='[0-9.]+ MB \| [0-9.]+ MB \| [0-9.]+ \([0-9.]+\) MB'
idle='[0-9.]+ % \([0-9.]+ %\)'
rows=$(grep -cE "^\| pipe=2 \| [a-z0-9: -]+ \| $step \| $idle \| $memory \| [0-9.]+ MB \|$" plain)
[ "$rows" = 7 ] || fail "figures are missing: $(cat table)"
for mesh in data=1 data=2 tensor=2; do
  grep -qE "^\| $mesh \| - \| $step \| - \| $memory \| - \|$" plain || fail "no $mesh: $(cat table)"
done
