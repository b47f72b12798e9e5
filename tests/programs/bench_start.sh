# How long a start takes: a table of nets.
OPTIONS="--nz 8 --generator-widths 8,8,8,8 --discriminator-widths 8,8,8,8 --batch 4 --threads 1" \
  bash "$ROOT/tests/bench/start.sh" 1 dcgan-64 >table 2>progress || fail "$(cat table progress)"
[ "$(cat progress)" = 'round 1 of 1' ] || fail "$(cat progress)"
grep -qE '^\| dcgan-64 \| [0-9.]+ s \| [0-9.]+ s \| [0-9.]+ s \|$' table || fail "$(cat table)"
awk -F '|' '/dcgan-64/ { exit !($3 + 0 > 0 && $4 + 0 > 0 && $5 + 0 > 0) }' table || fail "no time at all: $(cat table)"
OPTIONS='--batch 0' refuses 1 '--batch 0 is out of range' bash "$ROOT/tests/bench/start.sh" 1 dcgan-64
