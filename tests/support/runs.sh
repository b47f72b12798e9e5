# Runs of 20 steps of dcgan-64 and what they left, for tests that compare layouts.
make_store tiles.h5 40 64
train() {
  local n=$1 run=$2
  shift 2
  ranks "$n" civitas train --tiles tiles.h5 --run "$run" --net dcgan-64 --batch 8 --micro-batch 2 \
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

