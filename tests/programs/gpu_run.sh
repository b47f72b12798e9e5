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
  train each.$precision 5 --precision $precision --device cuda --cuda-graphs off
  [ "$(fingerprint each.$precision)" = "$(fingerprint straight.$precision)" ] ||
    fail "CUDA graphs changed the result in $precision"
  grep -q 'passes become CUDA graphs after 3 steps' straight.$precision/log/rank-0.txt || fail 'no graphs are told'
  grep -q 'no CUDA graphs: --cuda-graphs off' each.$precision/log/rank-0.txt || fail 'nobody says why there are none'
  grep -q 'more in host memory' host.$precision/log/rank-0.txt || fail 'nobody says what lies in host memory'
  train $precision 6 --precision $precision --device cpu
  run civitas generate --checkpoint $precision --count 4 --output $precision.h5
done

# Whatever a pass computes can be recorded; what cannot is launched kernel by kernel, and said.
graphs() { # NAME OPTIONS...: six steps with graphs and without end with the same bits
  local name=$1
  shift
  for how in auto off; do train "$name.$how" 6 --device cuda --cuda-graphs $how "$@"; done
  grep -q 'passes become CUDA graphs' "$name.auto/log/rank-0.txt" || fail "$name: no graphs"
  [ "$(fingerprint "$name.auto")" = "$(fingerprint "$name.off")" ] || fail "$name: graphs changed the result"
}
graphs fast --kernels fast --precision bf16
graphs wide --precision fp64
graphs again --redraw
graphs twice --recompute
graphs asked --condition cover
train together 5 --device cuda --sync-batch-norm
grep -q 'no CUDA graphs: --sync-batch-norm' together/log/rank-0.txt || fail 'sync batch norm is recorded'
