# Whatever a pass on a GPU computes can be recorded as a CUDA graph; what cannot is launched kernel by
# kernel, and said.
source "$ROOT/tests/support/gpu_runs.sh"
graphs() { # NAME OPTIONS...: six steps with graphs and without end with the same bits
  local name=$1 how
  shift
  for how in auto off; do train 1 "$name.$how" --steps 6 --device cuda --cuda-graphs $how "$@"; done
  grep -q 'passes become CUDA graphs' "$name.auto/log/rank-0.txt" || fail "$name: no graphs"
  [ "$(fingerprint "$name.auto")" = "$(fingerprint "$name.off")" ] || fail "$name: graphs changed the result"
}
graphs fast --kernels fast --precision bf16
graphs winograd --kernels fast
graphs wide --precision fp64
graphs again --redraw
graphs twice --recompute
graphs asked --condition cover
train 1 together --steps 5 --device cuda --sync-batch-norm
grep -q 'no CUDA graphs: --sync-batch-norm' together/log/rank-0.txt || fail 'sync batch norm is recorded'
