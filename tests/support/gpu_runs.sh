# Runs on a GPU, and several ranks on one, for tests that compare them.
if [ -z "${CIVITAS_NEEDS_GPU:-}" ] && ! nvidia-smi --list-gpus >/dev/null 2>&1; then
  echo 'no GPU here (nvidia-smi finds none): nothing was trained'
  exit 0
fi
source "$ROOT/tests/support/runs.sh"
export CUDA_VISIBLE_DEVICES=0
# civitas_with FOLDER VARIABLES: makes a program for the PATH that sets these for civitas.
civitas_with() {
  mkdir "$1"
  cat >"$1/civitas" <<SCRIPT
#!/usr/bin/env bash
$2 exec "\$BIN/civitas" "\$@"
SCRIPT
  chmod +x "$1/civitas"
}
# NCCL takes one GPU for several when each rank has a host of its own name.
civitas_with apart "NCCL_HOSTID=rank\$OMPI_COMM_WORLD_RANK NCCL_SOCKET_IFNAME=lo"
by() {
  local way=$1
  shift
  if [ "$way" = NCCL ]; then local PATH=$PWD/apart:$PATH; fi
  train "$@" --device cuda
}
travel_by() {
  grep -qF "tensors travel by $1" "$2/log/rank-0.txt" || fail "$2: not by $1: $(head -n 5 "$2/log/rank-0.txt")"
}
# losses_near A B [MOST]: the losses of all steps agree to 1e-10, or so much.
losses_near() {
  local losses='"\([dg]_\)*loss":[^,}]*'
  paste -d: <(grep -o "$losses" "$1/metrics.jsonl") <(grep -o "$losses" "$2/metrics.jsonl") |
    awk -F: -v most="${3:-1e-10}" '{ apart = $2 - $4; if (apart < 0) apart = -apart; if (apart > most) wrong = 1 }
             END { exit wrong || NR < 4 }' || fail "losses of $1 and $2 differ"
}

# Along the data and pipe axes ranks make the bits of one.
layouts_equal_one_rank() { # WAY: what the log says that tensors travel by
  local way=$1 run
  train 1 one --steps 4 --device cuda
  train 1 six --steps 6 --device cuda --cuda-graphs off
  by "$way" 2 pipe --steps 4 --mesh pipe=2 --schedule gan
  by "$way" 4 both --steps 4 --mesh data=2,pipe=2 --schedule zero-bubble --redraw
  by "$way" 2 data --steps 6 --mesh data=2
  by "$way" 2 optimizer --steps 6 --mesh data=2 --shard optimizer
  for run in data optimizer; do
    grep -q 'passes become CUDA graphs' "$run/log/rank-0.txt" || fail "$run: no graphs"
    same six "$run"
  done
  for run in pipe both; do
    travel_by "$way" "$run"
    same one "$run"
  done
}

# Along the tensor axis they make the figures of one within rounding, and with sharded weights its bits,
# wherever what is offloaded lies.
parts_equal_one_rank() { # WAY
  local way=$1 to
  train 1 one --steps 4 --device cuda
  train 1 whole --steps 4 --device cuda --precision fp64
  by "$way" 2 tensor --steps 4 --mesh tensor=2 --precision fp64
  by "$way" 4 cut --steps 4 --mesh pipe=2,tensor=2 --precision fp64
  losses_near whole tensor
  losses_near whole cut
  for to in host disk; do
    by "$way" 2 $to --steps 4 --mesh data=2 --shard parameters --offload $to
    travel_by "$way" $to
    same one $to
  done
}
