# What a process meets before its first step: a request to stop from its first moment on, limits of
# its environment, cores that it shares.
make_store tiles.h5 20 64
options=(--tiles tiles.h5 --net dcgan-64 --batch 4 --micro-batch 4 --threads 1 --sample-every 0)
small=(--generator-widths 8,8,8,8 --discriminator-widths 8,8,8,8 --nz 8)
train=(timeout 60 civitas train "${options[@]}" "${small[@]}" --steps 2)
early='stopped on request before the first step: there is nothing to save'

# While libraries are being loaded.
refuses 75 "$early" timeout 60 env LD_PRELOAD="$TESTS/libearly_signal.so" "${train[@]:2}" --run early
# Before the program is, as jobs/train.sbatch starts it, on all ranks.
blocked=(env --block-signal=USR1,TERM bash -c "kill -TERM \$\$; exec \"\$@\"" -)
refuses 75 "$early" timeout 60 "${blocked[@]}" "${train[@]:2}" --run early
rc=0
timeout 60 mpirun --quiet --oversubscribe -n 2 "${blocked[@]}" "${train[@]:2}" --run early >said 2>&1 || rc=$?
[ "$rc" = 75 ] || fail "exit code $rc instead of 75: $(cat said)"
[ "$(grep -c "$early" said)" -le 1 ] || fail "told by every rank: $(cat said)"
[ -z "$(find . -name '*.h5' -path '*checkpoints*')" ] || fail 'a checkpoint of no step'
# While layers are timed: the folder is free again, for another machine, too.
civitas train "${options[@]}" --steps 2 --run early >said 2>&1 &
waiter=$!
for _ in $(seq 300); do [ -e early/lock ] && break; sleep 0.05; done
# Alone it needs no daemon of Open MPI, and looks for no network but what the user names.
[ -z "$(pgrep -P $waiter)" ] || fail "started: $(pgrep -a -P $waiter)"
refuses 1 'A requested component was not found' env OMPI_MCA_pml=none_such civitas inspect tiles.h5
kill -USR1 $waiter
rc=0
wait $waiter || rc=$?
[ "$rc" = 75 ] || fail "exit code $rc instead of 75: $(cat said)"
[ ! -e early/lock ] || fail "the lock is left after a stop: $(cat said)"
# A command that saves nothing ends as any program does.
rc=0
"${blocked[@]}" civitas inspect tiles.h5 >said 2>&1 || rc=$?
[ "$rc" = 143 ] || fail "exit code $rc instead of 143: $(cat said)"

# A limit of the sizes of files that no checkpoint keeps to is told before the first step.
refuses 2 'a checkpoint of this run takes 90.9 MB, files of this process may have 20.5 MB. Hint: ulimit -f unlimited' \
  bash -c 'ulimit -f 20000; exec "$@"' - timeout 60 civitas train "${options[@]}" --steps 1 --run limited
[ ! -e limited ] || fail "something was made: $(find limited)"

# What no machine can hold, and what a container's share of it cannot, is told before anything is
# made or timed, with its parts.
unfit() { refuses 2 '. Hint: more nodes or memory, fewer ranks a node' timeout 60 "$@" --run unfit --steps 1; }
parts() {
  grep -q 'error: a rank needs .*: weights, moments and sums .*; it has .* MB' said || fail "no numbers: $(cat said)"
  [ ! -e unfit ] || fail "something was made: $(find unfit)"
}
unfit civitas train --tiles tiles.h5 --net dcgan-64 --batch 1000000000 --micro-batch 1000000000
parts
unfit civitas train "${options[@]}" --generator-widths 60000,60000,8,8
parts
group=/sys/fs/cgroup/memory/civitas-$$
if mkdir $group 2>/dev/null; then
  echo 1500000000 >$group/memory.limit_in_bytes
  make_store large.h5 20 256
  (unfit bash -c "echo \$\$ >$group/cgroup.procs; exec \"\$@\"" - civitas train --tiles large.h5 --net dcgan-256 \
    --batch 64 --micro-batch 64 --threads 1) || failed=yes
  for _ in $(seq 50); do rmdir $group 2>/dev/null && break; sleep 0.1; done  # its last process may not be gone
  [ -z "${failed-}" ] || fail "beyond the limit of a group"
  parts
  grep -q 'it has 1500.0 MB' said || fail "not the group's: $(cat said)"
fi

# Bits that belong to this number of ranks are told.
ranks 2 civitas train --tiles tiles.h5 --net dcgan-64 "${small[@]}" --batch 12 --micro-batch 2 --threads 1 \
  --sample-every 0 --steps 1 --run thirds >said 2>&1
[ "$(grep -c 'warning: 3 micro-batches a data rank are no power of two' said)" = 1 ] ||
  fail "not one word of the bits: $(cat said)"

# More threads than OpenMP gives.
refuses 2 '--threads 2, but OMP_THREAD_LIMIT allows 1. Hint: unset OMP_THREAD_LIMIT, or --threads 1' \
  env OMP_THREAD_LIMIT=1 "${train[@]/#1/2}" --run threads
run env OMP_THREAD_LIMIT=1 "${train[@]/#1/auto}" --run threads >said
grep -q ', 1 threads a rank' said || fail "$(cat said)"

# More threads than cores are told.
many=$(($(nproc) + 1))
run "${train[@]/#1/$many}" --run crowded >said 2>&1
grep -q "1 ranks of $many threads share $(nproc) cores of this node. Hint: --threads auto" said || fail "$(cat said)"

# OpenMP's threads sleep soon, unless the user says something else.
spins() { env "$@" OMP_DISPLAY_ENV=verbose civitas --version 2>&1 | grep -o "GOMP_SPINCOUNT = '[0-9]*'"; }
if [ "$(nproc)" -gt 1 ]; then
  [ "$(spins A=1)" = "GOMP_SPINCOUNT = '2500'" ] || fail "$(spins A=1)"
fi
[ "$(spins GOMP_SPINCOUNT=77)" = "GOMP_SPINCOUNT = '77'" ] || fail "$(spins GOMP_SPINCOUNT=77)"
[ "$(spins OMP_WAIT_POLICY=active)" != "GOMP_SPINCOUNT = '2500'" ] || fail 'a wait policy is changed'

# The heap asks for large pages, unless the user says something else of it.
heap() {
  env "$@" "${train[@]:2}" --run "heap-$#" >said 2>&1 &
  local pid=$!
  until tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep '^GLIBC_TUNABLES='; do
    [ -e "/proc/$pid/environ" ] || fail "no tunables: $(cat said)"
    sleep 0.01
  done
  wait $pid || fail "$(cat said)"
}
[ "$(heap A=1)" = GLIBC_TUNABLES=glibc.malloc.hugetlb=1 ] || fail "$(heap A=1)"
mine=GLIBC_TUNABLES=glibc.malloc.check=0
[ "$(heap A=1 $mine)" = $mine ] || fail 'tunables are changed'
