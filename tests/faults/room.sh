# Room that runs out at each file that a training writes: small file systems in memory at its
# folders, limits of file sizes.

# small_disk FOLDER [MOUNT OPTIONS]
small_disk() {
  mkdir -p "$1"
  mount -t tmpfs -o "size=4m${2:+,$2}" civitas-faults "$1"
}
# leave FOLDER BYTES: of its room.
leave() {
  local room
  room=$(($(stat -f -c '%a * %S' "$1")))
  fallocate -l $((room - $2)) "$1/ballast"
}

# A run of six steps goes on with $2 bytes left in its folder $1.
folder_full() {
  local folder=$1 bytes=$2
  shift 2
  begin "$folder with $bytes bytes left"
  cp -r begun "$run"
  small_disk "$run/$folder"
  cp -r "begun/$folder/." "$run/$folder"
  leave "$run/$folder" "$bytes"
  pick_layout
  train "${layout[0]}" "$run" "${layout[@]:1}" "$@"
  await
}

# A run's own folder is full, those in it are not. $1: pages left; $2: begun or fresh.
top_full() {
  begin "its own folder, $2, with $1 pages left"
  mkdir "$run.disk"
  if [ "$2" = begun ]; then cp -r begun/. "$run.disk"; fi
  small_disk "$run"
  for folder in checkpoints log samples; do
    mkdir -p "$run/$folder" "$run.disk/$folder"
    mount --bind "$run.disk/$folder" "$run/$folder"
  done
  find "$run.disk" -maxdepth 1 -type f -exec cp {} "$run" \;
  leave "$run" $((4096 * $1))
  pick_layout
  train "${layout[0]}" "$run" "${layout[@]:1}"
  await
}

# A limit of file sizes falls on one rank, or all of them, in the middle of a run.
limit_falls() {
  local ranks
  begin "files of $1 bytes at most, on $2"
  cp -r begun "$run"
  pick_layout
  train "${layout[0]}" "$run" "${layout[@]:1}"
  pick 8
  until_true has_steps "$run" $((7 + picked)) || true
  mapfile -t ranks < <(ranks_of "$run")
  pick $((${#ranks[@]} + 1))
  [ "$2" = all ] || ranks=("${ranks[@]:picked % ${#ranks[@]}:1}")
  for rank in "${ranks[@]}"; do prlimit --pid "$rank" --fsize="$1" 2>/dev/null || true; done
  await
}

leave_case() {
  unmount_below "$run"
  rm -rf "$run" "$run.disk"
}

class_room() {
  local bytes pages who
  for bytes in 0 4096 65536 150000 250000; do
    folder_full checkpoints $bytes
    judge 'step-[0-9]*\.h5'
    leave_case
  done
  for bytes in 0 4096; do
    sheets=8 folder_full samples $bytes
    sheets=8 judge 'samples/step-[0-9]*\.png'
    leave_case
  done
  # Lines of a log are no reason to end; that they are missing is told.
  folder_full log 0
  judge 'log/rank-[0-9]*\.txt'
  leave_case
  begin 'log without room for a name'
  cp -r begun "$run"
  rm "$run"/log/*
  small_disk "$run/log" nr_inodes=1
  train 2 "$run" --mesh data=2
  await
  few_names=$run/log judge 'log/rank-[0-9]*\.txt'
  leave_case
  for pages in 0 1 2 3 4 5; do
    top_full $pages fresh
    judge 'lock|profile\.json|config\.ini|metrics\.jsonl'
    leave_case
  done
  for pages in 0 1 2 3; do
    top_full $pages begun
    judge 'lock|profile\.json|config\.ini|metrics\.jsonl'
    leave_case
  done
  for bytes in 0 100000; do
    for who in one all; do
      limit_falls $bytes $who
      judge 'step-[0-9]*\.h5|metrics\.jsonl'
      leave_case
    done
  done
}
