# --checkpoint-mode async: the same bits in files that are written while training goes on; stops, errors and kills
# while one is on its way. A library makes the disk slow for all threads but the first.
make_store tiles.h5 40 64
options=(--tiles tiles.h5 --net dcgan-64 --generator-widths 8,8,8,8 --discriminator-widths 8,8,8,8 --nz 8 --batch 8
         --micro-batch 4 --threads 1 --sample-every 0)
slow=(env LD_PRELOAD="$TESTS/libslow_disk.so")
mpi=(mpirun --quiet --oversubscribe --bind-to none --mca mpi_yield_when_idle 1)
fingerprint() { grep -h '^fingerprint' "$1/log/rank-0.txt" | tail -n 1; }
line_of() { grep -h "^saved .*step-$(printf %08d "$2").h5" "$1/log/rank-0.txt"; }
# train RUN RANKS ...: in the background, as $job.
train() {
  timeout -k 1 100 "${mpi[@]}" -n "$2" "${slow[@]}" "${@:3}" civitas train --run "$1" "${options[@]}" "${more[@]}" \
    >"$1.said" 2>&1 &
  job=$!
}
ended() { # CODE RUN
  local rc=0
  wait $job || rc=$?
  [ $rc = "$1" ] || fail "$2: exit code $rc instead of $1: $(tail "$2.said")"
}
# A save is on its way and training goes on: two steps after that of the part.
under_way() {
  for _ in $(seq 400); do
    part=$(find "$1/checkpoints" -name '*.part-*' 2>/dev/null | head -n 1) || true
    part=${part##*step-}
    [ -z "$part" ] || [ "$(wc -l <"$1/metrics.jsonl")" -lt $((10#${part%%.*} + 2)) ] || return 0
    sleep 0.05
  done
  fail "$1: no save under way: $(tail "$1.said")"
}

# Two saves, the second of which is due before the first is committed; the last step is not made to wait for.
more=(--steps 9 --checkpoint-every 4 --checkpoint-mode async --keep 1 --keep-every 4)
train async 2 SLOW_DISK_MS=200
ended 0 async
more=(--steps 9 --checkpoint-every 4 --keep 3)
run "${mpi[@]}" -n 1 civitas train --run sync "${options[@]}" "${more[@]}" >/dev/null
[ "$(fingerprint async)" = "$(fingerprint sync)" ] || fail "other bits: $(fingerprint async), $(fingerprint sync)"
ls sync/checkpoints >names
ls async/checkpoints | diff names - || fail 'other files are kept'
civitas inspect async >inspected
[ "$(grep -c 'h5: whole' inspected)" = 3 ] || fail "not all are whole: $(cat inspected)"
waited='training waited [0-9.]+ s, committed after step'
line_of async 4 | grep -qE "s, $waited [5-8]\)" || fail "step 4: $(line_of async 4)"
line_of async 8 | grep -qE "s, $waited 9\)" || fail "step 8: $(line_of async 8)"
! line_of async 9 | grep -q waited || fail "the last step: $(line_of async 9)"
grep -q '^checkpoint-mode = async' async/config.ini || fail "not kept: $(cat async/config.ini)"
in_step_4() { civitas inspect "$1/checkpoints/step-00000004.h5" | grep -o 'fingerprint .*'; }
[ "$(in_step_4 async)" = "$(in_step_4 sync)" ] || fail "step 4 is another: $(in_step_4 async), $(in_step_4 sync)"

# By time: the root's clock decides for all, here after every step.
more=(--steps 4 --checkpoint-every 0 --checkpoint-minutes 1e-9 --checkpoint-mode async --keep 9)
train timed 2
ended 0 timed
[ "$(find timed/checkpoints -name '*.h5' | wc -l)" = 4 ] || fail "by time: $(ls timed/checkpoints)"

# A stop waits for the save that is on its way, and saves its own step.
more=(--steps 1000000 --checkpoint-every 20 --checkpoint-minutes 1000 --checkpoint-mode async)
train stopped 2 SLOW_DISK_MS=1500
under_way stopped
kill -USR1 "$(pgrep -P $job)"
ended 75 stopped
step=$(cat stopped/stopped)
[ "$(ls stopped/checkpoints)" = "step-00000020.h5
step-$(printf %08d "$step").h5" ] || fail "a stop leaves $(ls stopped/checkpoints)"
line_of stopped 20 | grep -qE "$waited $step\)" || fail "not waited for: $(line_of stopped 20)"

# A disk that is full for one rank behind its back ends all, and leaves what was saved, with the last step.
cp -r sync full
more=(--steps 1000000 --checkpoint-every 10 --checkpoint-mode async --keep 9)
train full 2 SLOW_DISK_FULL_RANK=1
ended 1 full
grep -q 'error: rank 1: syncing .*step-00000010.h5.part.*No space left' full.said || fail "full: $(cat full.said)"
civitas inspect full >inspected
grep -q 'step-00000009.h5: whole' inspected || fail 'the older checkpoint is gone'
step=$(tail -n 1 full/metrics.jsonl | grep -o '"step":[0-9]*' | grep -o '[0-9]*')
[ -e "full/checkpoints/step-$(printf %08d "$step").h5" ] || fail "the last step $step is not saved"
[ -z "$(find full/checkpoints -name '*.part*')" ] || fail "parts are left: $(ls full/checkpoints)"

# Killed while one is on its way: the older one is gone on from, to the same end.
cp -r sync killed
more=(--steps 1000000 --checkpoint-every 10 --checkpoint-mode async)
train killed 1 SLOW_DISK_MS=60000
under_way killed
kill -9 "$(pgrep -f "^civitas train --run killed ")"
wait $job 2>/dev/null || true
more=(--steps 12)
run civitas train --run killed "${options[@]}" "${more[@]}" >said
run civitas train --run sync "${options[@]}" "${more[@]}" >/dev/null
grep -q 'resumed from .*step-00000009.h5' said || fail "not from the older one: $(cat said)"
[ -z "$(find killed/checkpoints -name '*.part*')" ] || fail "parts are left: $(ls killed/checkpoints)"
[ "$(fingerprint killed)" = "$(fingerprint sync)" ] || fail 'other bits after a kill'
