# Ranks that were told different things are refused before any work, with what differs and where;
# what files say is what the first rank's say.
make_store tiles.h5 20 64
words=(--tiles "$WORK/tiles.h5" --net dcgan-64 --generator-widths 8,8,8,8 --nz 8 --batch 8
       --discriminator-widths 8,8,8,8 --micro-batch 4 --threads 1 --sample-every 0)
mpi=(timeout 60 mpirun --quiet --oversubscribe --bind-to none --mca mpi_yield_when_idle 1)
bin=$(dirname "$(command -v civitas)")

# apart 'of rank 0' 'of rank 1' WORDS OF RANK 0 : WORDS OF RANK 1
apart() {
  local zero=$1 one=$2 first=()
  shift 2
  while [ "$1" != : ]; do
    first+=("$1")
    shift
  done
  shift
  refuses 2 "the command line must be the same on all ranks: rank 1 has $one, rank 0 has $zero" \
    "${mpi[@]}" -n 1 "$bin/civitas" "${first[@]}" : -n 1 "$bin/civitas" "$@"
}
apart '"--steps 4"' '"--steps 8"' train "${words[@]}" --run run --steps 4 : \
  train "${words[@]}" --run run --steps=8
apart 'nothing of the kind' '"--help"' train "${words[@]}" --run run : \
  train "${words[@]}" --run run --help
apart '"train"' '"inspect tiles.h5"' train : inspect tiles.h5
if [ -x "$bin/civitas-vectorize" ]; then
  refuses 2 'rank 1 has "civitas-vectorize' "${mpi[@]}" -n 1 "$bin/civitas" inspect tiles.h5 : \
    -n 1 "$bin/civitas-vectorize" tiles.h5 --output map.gpkg
fi
[ ! -e run ] || fail 'a run folder of ranks that do not agree'

# In a folder of each rank's own the same names are other files, or none.
mkdir first second
printf 'steps = 2\nschedule = "my table"\n' >first/run.ini
printf 'steps = 5\nno such option = 1\n' >second/run.ini
civitas plan --net dcgan-64 --batch 8 --micro-batch 4 --mesh pipe=2 --schedule gan --brief \
  --print 'first/my table' >said || fail "$(cat said)"
same=(train --config run.ini "${words[@]}" --run "$WORK/run" --mesh pipe=2)
run "${mpi[@]}" -n 1 --wdir "$WORK/first" "$bin/civitas" "${same[@]}" : \
  -n 1 --wdir "$WORK/second" "$bin/civitas" "${same[@]}" >said
[ "$(wc -l <run/metrics.jsonl)" = 2 ] || fail "not the first rank's steps: $(cat said)"
refuses 2 'cannot read the configuration run.ini' \
  "${mpi[@]}" -n 1 --wdir "$WORK" "$bin/civitas" "${same[@]}" : \
  -n 1 --wdir "$WORK/second" "$bin/civitas" "${same[@]}"

# A run folder that one rank does not see is told, and not waited for.
draw=("$bin/civitas" generate --checkpoint run --count 2 --output plans.h5)
refuses 2 'rank 1: there is no checkpoint or run folder' \
  "${mpi[@]}" -n 1 --wdir "$WORK" "${draw[@]}" : -n 1 --wdir "$WORK/second" "${draw[@]}"

# oneDNN's own switch changes bits as another processor does.
refuses 1 'rank 1 with' "${mpi[@]}" -n 1 "$bin/civitas" train "${words[@]}" --run bits --steps 1 : \
  -n 1 env ONEDNN_MAX_CPU_ISA=SSE41 "$bin/civitas" train "${words[@]}" --run bits --steps 1
grep -qF '+ONEDNN_MAX_CPU_ISA=SSE41: they would not give the same bits' said || fail "$(cat said)"
! grep -qw amx_bf16 /proc/cpuinfo || grep -qF '+amx_bf16 (refused)+ONEDNN_MAX_CPU_ISA' said || fail "$(cat said)"
