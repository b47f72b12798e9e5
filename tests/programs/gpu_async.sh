# Ranks share weights on one GPU without waiting. In turn they make the bits of one; without a bound
# each makes some steps, and a run goes on with other ranks.
source "$ROOT/tests/support/gpu_runs.sh"
train 1 sync --steps 6 --device cuda
for moments in shared own; do
  train 1 alone.$moments --steps 6 --update async --async-moments $moments --device cuda
  same sync alone.$moments
done
train 3 in-turn --steps 6 --update async --max-staleness 0 --device cuda 2>said
same sync in-turn
grep -q 'share its 1 GPU' said && fail "a warning of what is wanted: $(cat said)"
for precision in fp32 bf16; do
  train 2 free.$precision --steps 20 --update async --precision $precision --device cuda
  grep -Eq '^steps by rank: rank 0: [1-9][0-9]*, rank 1: [1-9]' free.$precision/log/rank-0.txt ||
    fail "one rank made all steps: $(tail -n 3 free.$precision/log/rank-0.txt)"
  train 3 free.$precision --steps 24 --update async --precision $precision --device cuda
  grep -q 'resumed from .* after step 20' free.$precision/log/rank-0.txt || fail "free.$precision did not resume"
done
train 1 free.fp32 --steps 26 --device cpu
# With two GPUs the ranks would not share one.
if [ "$(nvidia-smi --list-gpus | wc -l)" -gt 1 ]; then
  CUDA_VISIBLE_DEVICES=0,1 refuses 2 '--update async shares the memory of one GPU, rank 0 has ' mpirun --quiet \
    --oversubscribe -n 2 civitas train --tiles tiles.h5 --run apart.async --net dcgan-64 --update async --device cuda
  [ ! -e apart.async ] || fail 'files after an error'
fi
