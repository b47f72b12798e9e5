# Helpers of tests/faults.sh: jobs and how they end, what a run folder must hold, the count of cases.
steps=20
net=(--net dcgan-64 --generator-widths 8,8,8,8 --discriminator-widths 8,8,8,8 --nz 8 --batch 8
     --micro-batch 4)
course=(--threads 1 --checkpoint-every 2 --keep 2)
# Ranks and options that lead to the same bits.
layouts=('1 --mesh data=1' '1 --recompute' '2 --mesh data=2' '2 --mesh data=2 --redraw'
         '1 --checkpoint-mode async' '2 --mesh data=2 --checkpoint-mode async'
         '4 --mesh data=2,pipe=2 --checkpoint-mode async'
         '2 --mesh pipe=2 --schedule gan' '2 --mesh pipe=2 --schedule 1f1b --redraw'
         '2 --mesh pipe=2 --schedule zero-bubble' '2 --mesh pipe=2 --schedule gpipe --recompute'
         '4 --mesh data=2,pipe=2 --schedule naive' '2 --mesh data=2 --shard gradients'
         '2 --mesh data=2 --shard parameters' '4 --mesh data=2,pipe=2 --shard parameters --checkpoint-mode async')

job='' rc=0 class='' case_name=''
declare -A tried survived named
order=() failures=()

end_everything() {
  trap - EXIT
  for pid in $(jobs -p); do kill -9 "$pid" 2>/dev/null || true; done
  for pid in $(pgrep -f "^[^ ]*civitas [a-z]+ .*$WORK/" || true); do kill -9 "$pid" 2>/dev/null || true; done
  cd /
  if [ "$FAULTS_PRIVATE" = yes ]; then
    unmount_below "$WORK/"
  fi
  rm -rf "$WORK"
}

unmount_below() {
  awk -v w="$1" 'index($2, w) == 1 { print $2 }' /proc/mounts | sort -r | while read -r folder; do
    umount -l "$folder" || true
  done
}

# A random number below $1 in `picked`: not printed, as a subshell's numbers would repeat themselves.
pick() { picked=$((RANDOM % $1)); }
pick_layout() {
  pick ${#layouts[@]}
  read -ra layout <<<"${layouts[picked]}"
}
pause() { sleep "$(printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)))"; }

# begin NAME: a case of `class` begins, its run folder is $run.
begin() {
  case_name=$1
  run=$WORK/$class-${case_name//[^a-z0-9]/-}
  [ -n "${tried[$class]:-}" ] || { order+=("$class"); tried[$class]=0 survived[$class]=0 named[$class]=0; }
  tried[$class]=$((tried[$class] + 1))
}
rename() { case_name=$1; }
# failed WHY: and what was said, once a case.
failed() {
  echo "FAILED: $class: $case_name: $*"
  [ ! -e said ] || tail -n 12 said | cut -c 1-300 | sed 's/^/    | /'
  failures+=("$class: $case_name: $*")
  return 1
}
passed() {
  echo "$class: $case_name: $1"
  if [[ $1 = survived* ]]; then survived[$class]=$((survived[$class] + 1))
  else named[$class]=$((named[$class] + 1)); fi
}
print_table() {
  printf '\n%-10s %8s %10s %12s\n' class tried survived 'named error'
  for class in "${order[@]}"; do
    printf '%-10s %8d %10d %12d\n' "$class" "${tried[$class]}" "${survived[$class]}" "${named[$class]}"
  done
  printf '%d failed (seed %d)\n' ${#failures[@]} "$seed"
  [ ${#failures[@]} = 0 ] || printf '  %s\n' "${failures[@]}"
  [ ${#failures[@]} = 0 ]
}

# launch RANKS COMMAND...: in the background, as `job`.
launch() {
  local n=$1
  shift
  mpirun --timeout 100 --quiet --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n "$n" \
    "$@" >"${output:-said}" 2>&1 &
  job=$!
}
# train RANKS RUN OPTIONS...
train() {
  local n=$1 folder=$2
  shift 2
  launch "$n" civitas train --run "$folder" --tiles "$WORK/tiles.h5" "${net[@]}" "${course[@]}" \
    --steps "${to:-$steps}" --sample-every "${sheets:-0}" "$@"
}
ranks_of() { pgrep -f "^[^ ]*civitas train --run $1 " || true; }
signal_ranks() {
  local pids
  mapfile -t pids < <(ranks_of "$run")
  [ ${#pids[@]} = 0 ] || kill "-$1" "${pids[@]}" 2>/dev/null || true
}
lives() { kill -0 "$1" 2>/dev/null; }
# The job's exit code in `rc`. One that takes longer than any of these does hangs: it is killed.
await() { await_end 2>/dev/null; } # without the shell's words on jobs that were killed
await_end() {
  local end=$((SECONDS + 120))
  while lives "$job" && [ $SECONDS -lt $end ]; do sleep 0.03; done
  if lives "$job"; then
    kill -9 "$job"
    signal_ranks KILL
    echo 'killed, as it did not end' >>said
  fi
  rc=0
  wait "$job" || rc=$?
}
# Ranks do not outlive their job for long.
none_left() {
  local end=$((SECONDS + 20))
  while [ -n "$(ranks_of "$run")" ] && [ $SECONDS -lt $end ]; do sleep 0.05; done
  [ -z "$(ranks_of "$run")" ] || { signal_ranks KILL; failed 'ranks outlived their job'; }
}
# Polls until COMMAND... is true; false when the job ends, or in a minute.
until_true() {
  local end=$((SECONDS + 60))
  until "$@"; do
    { lives "$job" && [ $SECONDS -lt $end ]; } || return 1
    sleep 0.005
  done
}
has_steps() { [ -e "$1/metrics.jsonl" ] && [ "$(grep -c '"step"' "$1/metrics.jsonl")" -ge "$2" ]; }
has_part() { compgen -G "$1/checkpoints/*.part-*" >/dev/null; }

# Losses and probabilities of every step, and the hash of all arrays.
figures() { grep -o '"step":[0-9]*\|"\(d_loss\|g_loss\|d_real\|d_fake\)":[^,}]*' "$1/metrics.jsonl"; }
fingerprint() { grep -h '^fingerprint' "$1" | tail -n 1; }

# The run that the others are compared with, and one of six steps that they go on from.
undisturbed() {
  class=undisturbed
  begin run
  make_store tiles.h5 40 64
  to=6 train 1 "$WORK/begun"
  await
  [ "$rc" = 0 ] || failed "exit code $rc"
  train 1 "$WORK/straight"
  await
  [ "$rc" = 0 ] || failed "exit code $rc"
  right_figures=$(figures straight) right_fingerprint=$(fingerprint said)
  [ "$(grep -c . <<<"$right_figures")" = $((5 * steps)) ] || failed "not $steps lines of figures"
  passed "survived: $right_fingerprint"
}
# right RUN SAID: it ended with the bits of the undisturbed run.
right() {
  [ "$(fingerprint "$2")" = "$right_fingerprint" ] || failed "$(fingerprint "$2") is not $right_fingerprint" || return
  [ "$(figures "$1")" = "$right_figures" ] ||
    failed "other metrics: $(diff <(figures "$1") <(echo "$right_figures") | head -n 4)"
}
# whole RUN: what is there of checkpoints can be read.
whole() {
  compgen -G "$1/checkpoints/*.h5" >/dev/null || return 0
  timeout -k 1 60 civitas inspect "$1" >inspected 2>&1 || failed "inspect: $(tail -n 3 inspected)" || return
  local files
  files=$(compgen -G "$1/checkpoints/*.h5" | wc -l)
  [ "$(grep -c '\.h5: whole' inspected)" = "$files" ] || failed "not $files whole files: $(cat inspected)"
}
# goes_on RUN OPTIONS...: without a fault, on any layout, to the bits of the undisturbed run.
goes_on() {
  whole "$1" || return
  pick_layout
  train "${layout[0]}" "$1" "${layout[@]:1}" "${@:2}"
  await
  [ "$rc" = 0 ] || failed "exit code $rc when going on with ${layout[*]}" || return
  right "$1" said
}
# refusal WORDS: the job ended with an error that says them, and in no other way.
refusal() {
  { [ "$rc" = 1 ] || [ "$rc" = 2 ]; } || failed "exit code $rc" || return
  ! grep -qE 'terminate called|Signal:|Segmentation|internal error' said || failed 'a crash' || return
  grep -qE "error: .*($1)" said || failed "no error that says $1"
}
# judge WORDS [OPTIONS...]: after a fault that an error with these words may name. What does not end
# the run leaves its bits alone; what does leaves what was saved.
judge() {
  none_left || return 0
  if [ "$rc" = 0 ]; then
    right "$run" said && whole "$run" && passed survived
    return 0
  fi
  refusal "$1" || return 0
  local words
  words=$(grep -oE "error: .*" said | head -n 1 | cut -c 1-150)
  make_room
  goes_on "$run" "${@:2}" && passed "named: ${words//$WORK\//}"
  return 0
}
make_room() {
  rm -f "$WORK"/*/ballast "$WORK"/*/*/ballast
  [ -z "${few_names:-}" ] || mount -o remount,nr_inodes=1000 "$few_names"
}
