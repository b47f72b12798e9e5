# What the quickstart's training has learnt (tests/run.sh trains it first): generated plans cover as
# much ground as real ones, are far nearer to them than noise, and differ among themselves.
quickstart=$ROOT/build/quickstart
[ -e "$quickstart/run/config.ini" ] || fail "no trained run in build/quickstart: bash jobs/quickstart.sh first"
run civitas evaluate --checkpoint "$quickstart/run" --tiles "$quickstart/tiles.h5" --count 256 \
  --output figures.txt
figure() { sed -n "s/^$1 = //p" figures.txt; }
holds() { awk "BEGIN { exit !($1) }" || fail "$2: $1"; }
near() { holds "$1 > 0.65 * $2 && $1 < 1.35 * $2" "$3 within 35 % of the real tiles'"; }
near "$(figure plans.building)" "$(figure real.building)" 'building cover'
near "$(figure plans.road)" "$(figure real.road)" 'road cover'
holds "$(figure plans.distance) < 0.5 * $(figure noise.distance)" "distance below half of noise's"
holds "$(figure plans.stored_distance) < 2 * $(figure real.stored_distance)" "at most twice as far as training tiles"
holds "$(figure plans.difference) >= 0.75 * $(figure real.difference)" 'no collapse'
holds "$(figure plans.road_largest) >= 0.6 * $(figure real.road_largest)" 'roads hang together'
