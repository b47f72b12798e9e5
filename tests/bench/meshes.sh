#!/usr/bin/env bash
# Meshes and schedules side by side: seconds of a step, idle share, memory of a rank, planned and
# measured. Rounds alternate, so that what else the machine does falls on all of them; the table
# has the median of the rounds.
#
#   bash tests/bench/meshes.sh [RANKS [ROUNDS]]         by default 2 ranks of one thread, 5 rounds
#   OPTIONS='--net dcgan-256 --batch 16 --micro-batch 4' bash tests/bench/meshes.sh 4
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
PATH=$root/build/release/bin:$PATH
ranks=${1:-2}
rounds=${2:-5}
read -ra options <<<"${OPTIONS:---net dcgan-64 --batch 32 --micro-batch 4}"
layouts=("data=$ranks 1f1b" "tensor=$ranks 1f1b")
for schedule in naive gpipe 1f1b interleaved:2 zero-bubble gan; do
  layouts+=("pipe=$ranks $schedule")
done

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
civitas-preprocess --sample 1 --output tiles.h5 --pixels 64 >/dev/null
for round in $(seq "$rounds"); do
  for layout in "${layouts[@]}"; do
    read -r mesh schedule <<<"$layout"
    # The plan is made of times measured in the same round.
    rm -rf run
    mpirun --quiet --bind-to none -n "$ranks" civitas train --tiles tiles.h5 --run run \
      --mesh "$mesh" --schedule "$schedule" --threads 1 --steps 9 --sample-every 0 "${options[@]}" \
      >said || { cat said && exit 1; }
    echo "round $round, $layout: $(grep -E '^  step ' said)" >&2
    # "  step     0.48 s     0.49 s": planned, measured.
    awk -v layout="$layout" '
      /^  step /          { print layout, "step", $2, $4 }
      /^  bubble /        { print layout, "bubble", $2, $4 }
      /^  weights, /      { print layout, "weights", $4, $6 }
      /^  saved /         { print layout, "saved", $3, $5 }
      /^pipe .* MB a step/ { sent += $5 }
      END { print layout, "sent", 0, sent + 0 }' said >>figures
  done
done

median() { # layout, figure, column
  awk -v key="$1 $2" -v column="$3" 'index($0, key " ") == 1 { print $column }' figures | sort -g |
    awk '{ all[NR] = $1 } END { print NR ? all[int((NR + 1) / 2)] : "-" }'
}
columns=(mesh schedule 'seconds a step: measured (planned)' 'idle: measured (planned)'
  'weights, moments, sums of a rank' 'saved activations' 'messages of the pipe in a step')
printf '| %s ' "${columns[@]}" && echo '|'
printf '|---%.0s' "${columns[@]}" && echo '|'
for layout in "${layouts[@]}"; do
  read -r mesh schedule <<<"$layout"
  idle="$(median "$layout" bubble 5) % ($(median "$layout" bubble 4) %)"
  name="\`$schedule\`"
  sent="$(median "$layout" sent 5) MB"
  case $mesh in
    pipe=*) ;;
    *) name=- idle=- sent=- ;;
  esac
  echo "| \`$mesh\` | $name | $(median "$layout" step 5) ($(median "$layout" step 4)) | $idle |" \
    "$(median "$layout" weights 5) MB | $(median "$layout" saved 5) MB |" \
    "$sent |"
done
