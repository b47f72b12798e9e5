# What the quickstart's training has learnt (tests/run.sh trains it first): plans, as they are stored, cover as much
# ground as real tiles, are nearly as near to test tiles as training tiles are, and differ among themselves.
quickstart=$ROOT/build/quickstart
[ -e "$quickstart/run/config.ini" ] || fail "no trained run in build/quickstart: bash jobs/quickstart.sh first"
run civitas evaluate --checkpoint "$quickstart/run" --tiles "$quickstart/tiles.h5" --count 256 \
  --output figures.txt
figure() { sed -n "s/^$1 = //p" figures.txt; }
holds() { awk "BEGIN { exit !($1) }" || fail "$2: $1"; }
near() { holds "$1 > 0.8 * $2 && $1 < 1.2 * $2" "$3 within 20 % of the real tiles'"; }
near "$(figure plans.stored_building)" "$(figure real.stored_building)" 'building cover'
near "$(figure plans.stored_road)" "$(figure real.stored_road)" 'road cover'
holds "$(figure plans.stored_distance) < 0.5 * $(figure noise.stored_distance)" "distance below half of noise's"
holds "$(figure plans.stored_distance) < 1.75 * $(figure real.stored_distance)" "nearly as near as training tiles"
holds "$(figure plans.stored_difference) >= 0.83 * $(figure real.stored_difference)" 'no collapse'
holds "$(figure plans.road_largest) >= 0.75 * $(figure real.road_largest)" 'roads hang together'
