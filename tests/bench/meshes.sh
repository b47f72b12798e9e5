#!/usr/bin/env bash
# Meshes and schedules side by side: seconds of a step, idle share, memory of a rank, planned and
# measured. Rounds alternate, so that what else the machine does falls on all of them; the table
# has the median of the rounds, its last line the worst error of a planned step: on a quiet machine
# within 15 %.
#
#   bash tests/bench/meshes.sh [RANKS [ROUNDS]]         by default 2 ranks of one thread, 5 rounds
#   OPTIONS='--net dcgan-256 --batch 16 --micro-batch 4' bash tests/bench/meshes.sh 4
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
PATH=$root/build/release/bin:$PATH
ranks=${1:-2}
rounds=${2:-5}
read -ra options <<<"${OPTIONS:---net dcgan-64 --generator-widths 512,256,128,64 --batch 32 --micro-batch 4}"
layouts=("data=1 1f1b" "data=$ranks 1f1b" "tensor=$ranks 1f1b")
for schedule in naive gpipe 1f1b interleaved:2 zero-bubble gan; do
  layouts+=("pipe=$ranks $schedule")
done
layouts+=("pipe=$ranks gan --redraw --recompute")

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
civitas-preprocess --sample 1 --output tiles.h5 --pixels 64 >/dev/null
for round in $(seq "$rounds"); do
  for layout in "${layouts[@]}"; do
    read -r mesh schedule saving <<<"$layout"
    started=$ranks
    [ "$mesh" = data=1 ] && started=1
    read -ra savings <<<"$saving"
    # The plan is made of times measured in the same round.
    rm -rf run
    mpirun --quiet --bind-to none -n "$started" civitas train --tiles tiles.h5 --run run \
      --mesh "$mesh" --schedule "$schedule" --threads 1 --steps 9 --sample-every 0 "${options[@]}" "${savings[@]}" \
      >said || { cat said && exit 1; }
    echo "round $round, $layout: $(grep -E '^  step ' said)" >&2
    # "  step     0.48 s     0.49 s": planned, measured.
    awk -v layout="$layout" '
      /^  step /          { print layout, "step", $2, $4 }
      /^  bubble /        { print layout, "bubble", $2, $4 }
      /^  weights, /      { print layout, "weights", $4, $6 }
      /^  saved /         { print layout, "saved", $3, $5 }
      /^  resident /      { print layout, "resident", $3, $5 }
      /^pipe .* MB a step/ { sent += $5 }
      END { print layout, "sent", 0, sent + 0 }' said >>figures
  done
done

median() { # layout, figure, column from the end: 0 is what was measured, 1 what was planned
  awk -v key="$1 $2" -v back="$3" 'index($0, key " ") == 1 { print $(NF - back) }' figures | sort -g |
    awk '{ all[NR] = $1 } END { print NR ? all[int((NR + 1) / 2)] : "-" }'
}
error() { # measured, planned
  awk -v measured="$1" -v planned="$2" 'BEGIN { printf "%+.0f", 100 * (planned / measured - 1) }'
}
columns=(mesh schedule 'seconds a step: measured (planned)' error 'idle: measured (planned)'
  'weights, moments, sums of a rank' 'saved activations' 'resident memory: measured (planned)'
  'messages of the pipe in a step')
worst=0
printf '| %s ' "${columns[@]}" && echo '|'
printf '|---%.0s' "${columns[@]}" && echo '|'
for layout in "${layouts[@]}"; do
  read -r mesh schedule saving <<<"$layout"
  idle="$(median "$layout" bubble 0) % ($(median "$layout" bubble 1) %)"
  name="\`$schedule${saving:+ $saving}\`"
  sent="$(median "$layout" sent 0) MB"
  off=$(error "$(median "$layout" step 0)" "$(median "$layout" step 1)")
  [ "${off#[+-]}" -gt "${worst#[+-]}" ] && worst=$off
  case $mesh in
    pipe=*) ;;
    *) name=- idle=- sent=- ;;
  esac
  echo "| \`$mesh\` | $name | $(median "$layout" step 0) ($(median "$layout" step 1)) | $off % | $idle |" \
    "$(median "$layout" weights 0) MB | $(median "$layout" saved 0) MB |" \
    "$(median "$layout" resident 0) ($(median "$layout" resident 1)) MB | $sent |"
done
echo "worst error of a planned step: $worst %"
