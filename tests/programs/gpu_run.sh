# Training on the GPU: 3 steps and 2 more after a resume are 5 steps, to the bit; a checkpoint made there
# goes on on the CPU.
source "$ROOT/tests/support/gpu_runs.sh"
for precision in fp32 bf16; do
  train 1 $precision --steps 3 --precision $precision --device cuda
  train 1 $precision --steps 5 --precision $precision --device cuda
  grep -q 'resumed from .* after step 3' $precision/log/rank-0.txt || fail "$precision did not resume"
  train 1 straight.$precision --steps 5 --precision $precision --device cuda
  [ "$(fingerprint $precision)" = "$(fingerprint straight.$precision)" ] ||
    fail "stopping changed the result in $precision"
  train 1 each.$precision --steps 5 --precision $precision --device cuda --cuda-graphs off
  [ "$(fingerprint each.$precision)" = "$(fingerprint straight.$precision)" ] ||
    fail "CUDA graphs changed the result in $precision"
  grep -q 'passes become CUDA graphs after 3 steps' straight.$precision/log/rank-0.txt || fail 'no graphs are told'
  grep -q 'no CUDA graphs: --cuda-graphs off' each.$precision/log/rank-0.txt || fail 'nobody says why there are none'
  train 1 $precision --steps 6 --precision $precision --device cpu
  run civitas generate --checkpoint $precision --count 4 --output $precision.h5
done
