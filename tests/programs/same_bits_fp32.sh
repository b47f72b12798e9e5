# 20 steps of dcgan-64 in fp32 give the same fingerprint and metrics on 1, 2 and 4 ranks; so do 10
# steps on four ranks and 10 more on one.
source "$ROOT/tests/support/runs.sh"
for n in 1 2 4; do train $n on.$n --steps 20; done
same on.1 on.2
same on.1 on.4
train 4 mixed --steps 10
train 1 mixed --steps 20
same on.1 mixed
# Three ranks, too, where each has a power of two of micro-batches.
six() {
  ranks "$1" civitas train --tiles tiles.h5 --run "six.$1" --net dcgan-64 --generator-widths 8,8,8,8 \
    --discriminator-widths 8,8,8,8 --nz 8 --batch 12 --micro-batch 2 --steps 3 --threads 1 --sample-every 0
}
six 1
six 3
same six.1 six.3
cmp six.1/samples/step-00000003.png six.3/samples/step-00000003.png || fail 'three replicas draw another sheet'
[ "$(figures on.1 | grep -c step)" = 20 ] || fail "not 20 lines of metrics"
