# 20 steps of dcgan-64 give the same fingerprint and the same metrics on 1, 2 and 4 ranks, in fp32
# and bf16; 10 steps, and 10 more on another number of ranks, too.
make_store tiles.h5 40 64
train() {
  local n=$1 run=$2
  shift 2
  ranks "$n" civitas train --tiles tiles.h5 --run "$run" --net dcgan-64 --batch 16 --micro-batch 4 \
    --threads 1 --sample-every 0 --checkpoint-every 0 "$@"
}
# What does not depend on the layout: losses and probabilities of every step.
figures() { grep -o '"step":[0-9]*\|"\(d_loss\|g_loss\|d_real\|d_fake\)":[^,}]*' "$1/metrics.jsonl" | sort; }
fingerprint() { grep -h '^fingerprint' "$1/log/rank-0.txt" | tail -n 1; }
same() {
  [ -n "$(fingerprint "$1")" ] && [ "$(fingerprint "$1")" = "$(fingerprint "$2")" ] ||
    fail "fingerprints of $1 and $2 differ"
  [ "$(figures "$1")" = "$(figures "$2")" ] || fail "metrics of $1 and $2 differ"
}

for precision in fp32 bf16; do
  for n in 1 2 4; do train $n $precision.$n --steps 20 --precision $precision; done
  same $precision.1 $precision.2
  same $precision.1 $precision.4
done
train 4 mixed --steps 10
train 1 mixed --steps 20
same fp32.1 mixed
[ "$(figures fp32.1 | grep -c step)" = 20 ] || fail "not 20 lines of metrics"
train 2 redrawn --steps 20 --recompute --schedule naive
same fp32.1 redrawn
train 1 other --steps 20 --seed 2
[ "$(fingerprint fp32.1)" != "$(fingerprint other)" ] || fail "another seed gives the same bits"
[ "$(fingerprint fp32.1)" != "$(fingerprint bf16.1)" ] || fail "bf16 gives the bits of fp32"
