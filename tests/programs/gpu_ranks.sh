# Several ranks on one GPU: along the data and pipe axes the bits of one rank on it, along the tensor
# axis its figures within rounding, whether tensors travel through host memory or by NCCL, and wherever
# what is offloaded lies; and ranks that share weights on it without waiting.
if [ -z "${CIVITAS_NEEDS_GPU:-}" ] && ! nvidia-smi --list-gpus >/dev/null 2>&1; then
  echo 'no GPU here (nvidia-smi finds none): no ranks were compared'
  exit 0
fi
source "$ROOT/tests/support/runs.sh"
export CUDA_VISIBLE_DEVICES=0
# NCCL takes one GPU for several when each rank has a host of its own name.
mkdir apart
cat >apart/civitas <<'SCRIPT'
#!/usr/bin/env bash
NCCL_HOSTID=rank$OMPI_COMM_WORLD_RANK NCCL_SOCKET_IFNAME=lo exec "$BIN/civitas" "$@"
SCRIPT
chmod +x apart/civitas
by() {
  local way=$1
  shift
  if [ "$way" = NCCL ]; then local PATH=$PWD/apart:$PATH; fi
  train "$@" --device cuda
}
travel_by() {
  grep -qF "tensors travel by $1" "$2/log/rank-0.txt" || fail "$2: not by $1: $(head -n 5 "$2/log/rank-0.txt")"
}
# near A B: the losses of all steps agree to 1e-10.
near() {
  local losses='"[dg]_loss":[^,}]*'
  paste -d: <(grep -o "$losses" "$1/metrics.jsonl") <(grep -o "$losses" "$2/metrics.jsonl") |
    awk -F: '{ apart = $2 - $4; if (apart < 0) apart = -apart; if (apart > 1e-10) wrong = 1 }
             END { exit wrong || NR < 4 }' || fail "losses of $1 and $2 differ"
}

train 1 one --steps 4 --device cuda
train 1 six --steps 6 --device cuda --cuda-graphs off
train 1 whole --steps 4 --device cuda --precision fp64
for way in 'host memory (ranks 0 and 1 share a GPU)' NCCL; do
  name=${way%% *}
  by "$way" 2 "$name.pipe" --steps 4 --mesh pipe=2 --schedule gan
  by "$way" 4 "$name.both" --steps 4 --mesh data=2,pipe=2 --schedule zero-bubble --redraw
  by "$way" 2 "$name.data" --steps 6 --mesh data=2
  by "$way" 2 "$name.optimizer" --steps 6 --mesh data=2 --shard optimizer
  for run in data optimizer; do
    grep -q 'passes become CUDA graphs' "$name.$run/log/rank-0.txt" || fail "$name.$run: no graphs"
    same six "$name.$run"
  done
  for run in pipe both; do
    travel_by "$way" "$name.$run"
    same one "$name.$run"
  done
  by "$way" 2 "$name.tensor" --steps 4 --mesh tensor=2 --precision fp64
  by "$way" 4 "$name.cut" --steps 4 --mesh pipe=2,tensor=2 --precision fp64
  near whole "$name.tensor"
  near whole "$name.cut"
  for to in host disk; do
    by "$way" 2 "$name.$to" --steps 4 --mesh data=2 --shard parameters --offload $to
    travel_by "$way" "$name.$to"
    same one "$name.$to"
  done
done
by 'host memory' 2 shared --steps 1 2>said
grep -q 'warning: 2 ranks of this node share its 1 GPU' said || fail "no warning of a shared GPU: $(cat said)"

# In turn, ranks that share weights make the bits of one; without a bound each makes some steps, and a
# run goes on with other ranks.
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

train 2 mixed --steps 2 --mesh pipe=2 --stage-devices cpu,cuda
travel_by 'host memory (rank 0 computes on the CPU)' mixed
grep -qF 'devices along the pipe: cpu,cuda' mixed/log/rank-0.txt || fail 'the devices are not told'
