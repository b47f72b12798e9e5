# Training on the GPU: 3 steps and 2 more after a resume are 5 steps, to the bit, wherever moments and
# mean lie; a checkpoint made there goes on on the CPU.
if [ -z "${CIVITAS_NEEDS_GPU:-}" ] && ! nvidia-smi --list-gpus >/dev/null 2>&1; then
  echo 'no GPU here (nvidia-smi finds none): nothing was trained'
  exit 0
fi
make_store tiles.h5 40 64
options=(--tiles tiles.h5 --net dcgan-64 --batch 8 --micro-batch 4 --threads 1 --sample-every 0)
train() {
  local run=$1 steps=$2
  shift 2
  run civitas train --run "$run" "${options[@]}" --steps "$steps" "$@"
}
fingerprint() { grep -h '^fingerprint' "$1/log/rank-0.txt" | tail -n 1; }

for precision in fp32 bf16; do
  train $precision 3 --precision $precision --device cuda
  train $precision 5 --precision $precision --device cuda
  grep -q 'resumed from .* after step 3' $precision/log/rank-0.txt || fail "$precision did not resume"
  train straight.$precision 5 --precision $precision --device cuda
  [ "$(fingerprint $precision)" = "$(fingerprint straight.$precision)" ] ||
    fail "stopping changed the result in $precision"
  for to in host disk; do
    train $to.$precision 3 --precision $precision --device cuda --offload $to
    train $to.$precision 5 --precision $precision --device cuda --offload $to
    [ "$(fingerprint $to.$precision)" = "$(fingerprint straight.$precision)" ] ||
      fail "--offload $to changed the result in $precision"
  done
  grep -q 'more in host memory' host.$precision/log/rank-0.txt || fail 'nobody says what lies in host memory'
  train $precision 6 --precision $precision --device cpu
  run civitas generate --checkpoint $precision --count 4 --output $precision.h5
done
