# The figures of `evaluate`: real tiles are near each other, noise is far, a fresh net in between.
make_store tiles.h5 200 64
ranks 1 civitas train --tiles tiles.h5 --run run --net dcgan-64 --generator-widths 8,8,8,8 \
  --discriminator-widths 8,8,8,8 --nz 8 --batch 8 --micro-batch 4 --steps 2 --threads 1
ranks 2 civitas evaluate --checkpoint run --tiles tiles.h5 --output figures.txt
cat figures.txt
figure() { sed -n "s/^$1 = //p" figures.txt; }
less() { awk "BEGIN { exit !($1 < $2) }" || fail "$1 is not less than $2 ($3)"; }
less "$(figure real.distance)" "0.5 * $(figure noise.distance)" "real tiles against noise"
less "$(figure real.distance)" "$(figure plans.distance)" "real tiles against an untrained net"
less "$(figure real.road) - $(figure noise.road)" 0.05 "shuffling keeps the cover"
less "$(figure noise.road) - $(figure real.road)" 0.05 "shuffling keeps the cover"
less 0.2 "$(figure real.road)" "make_store draws more road than that"
make_store few.h5 5 64
refuses 1 'at least 2 of each are needed' civitas evaluate --checkpoint run --tiles few.h5
