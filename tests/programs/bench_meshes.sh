# The table of meshes and schedules: a row with figures for each.
OPTIONS="--net dcgan-64 --nz 8 --generator-widths 8,8,8,8 --discriminator-widths 8,8,8,8" \
  OPTIONS+=" --batch 8 --micro-batch 2" bash "$ROOT/tests/bench/meshes.sh" 2 1 >table 2>progress ||
  fail "$(cat table progress)"
[ "$(wc -l <table)" = 10 ] || fail "not 8 rows: $(cat table)"
tr -d '`' <table >plain
step='[0-9.e-]+ \([0-9.e-]+\)'
memory='[0-9.]+ MB \| [0-9.]+ MB'
rows=$(grep -cE "^\| pipe=2 \| [a-z0-9:-]+ \| $step \| [0-9.]+ % \([0-9.]+ %\) \| $memory \| [0-9.]+ MB \|$" plain)
[ "$rows" = 6 ] || fail "figures are missing: $(cat table)"
for mesh in data tensor; do
  grep -qE "^\| $mesh=2 \| - \| $step \| - \| $memory \| - \|$" plain || fail "no $mesh: $(cat table)"
done
