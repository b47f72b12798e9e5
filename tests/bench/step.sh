#!/usr/bin/env bash
# A training step beside PyTorch: `civitas train`, and the same step as a program in PyTorch is written to be fast
# (channels-last, bf16 by autocast with fp32 weights, fused Adam, tiles in memory), on the same nets, batches,
# precisions and threads: eager, compiled by torch.compile, and on several ranks by DDP over gloo. Rounds alternate, so
# that what else the machine does falls on all of them; the table has the medians, and the ratios within rounds.
#
#   bash tests/bench/step.sh                        all cases: some forty minutes on two cores
#   bash tests/bench/step.sh --cases dcgan-256:bf16:8:1x2,dcgan-256:bf16:8:2x1
#                                                   those named: net:precision:batch:ranks x threads
#   --sides civitas,eager     whom to measure (civitas, apart: a rank for itself each, eager, compile, graphs, ddp)
#   --rounds 5 --steps 5      how often, and how many steps a turn
#   --device cuda             on a GPU; `graphs` is torch.compile with CUDA graphs
#   --json FILE --svg FILE    the figures, and a picture of them
#   --preload FILE            a library that is loaded before PyTorch's own: another allocator, such as jemalloc
#
# OPTIONS='--shard optimizer' goes to civitas train. PyTorch is that of the first python3 on the PATH that imports it.
# On a machine that does other things meanwhile, GOMP_SPINCOUNT=2500 keeps waiting threads of PyTorch from taking its
# cores, as Civitas does of its own.
set -euo pipefail
case ${1:-} in
  -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" && exit ;;
esac
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$root/build/release
[[ " $*" != *" --device cuda"* ]] || build=$root/build/cuda # the preset `cuda`, which tests/gpu.sh builds
export PATH=$build/bin:$build/tests:$PATH
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PYTHONDONTWRITEBYTECODE=1
exec python3 "$root/tests/bench/step.py" "$@"
