# On a GPU, wherever moments and mean lie, 3 steps and 2 more after a resume are 5 steps, to the bit.
source "$ROOT/tests/support/gpu_runs.sh"
for precision in fp32 bf16; do
  train 1 here.$precision --steps 5 --precision $precision --device cuda
  for to in host disk; do
    for steps in 3 5; do
      train 1 $to.$precision --steps $steps --precision $precision --device cuda --offload $to
    done
    [ "$(fingerprint $to.$precision)" = "$(fingerprint here.$precision)" ] ||
      fail "--offload $to changed the result in $precision"
  done
  grep -q 'more in host memory' host.$precision/log/rank-0.txt || fail 'nobody says what lies in host memory'
done
