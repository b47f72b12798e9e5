# SGD, weight decay and a rate that changes with the step end with the same bits however ranks are laid out and updates
# are made, also where a run is taken up in the middle; what would change them on the way is refused or told.
source "$ROOT/tests/support/runs.sh"
small=(--tiles tiles.h5 --net dcgan-64 --generator-widths 8,8,8,8 --discriminator-widths 8,8,8,8 --nz 8 --batch 8
       --micro-batch 2 --threads 1 --sample-every 0)
learning=(--optimizer sgd --momentum 0.8 --weight-decay 0.001 --generator-lr 0.02 --discriminator-lr 0.01
          --lr-schedule cosine --warmup-steps 3)
small() {
  local n=$1 run=$2
  shift 2
  ranks "$n" civitas train --run "$run" "${small[@]}" "${learning[@]}" --steps "${steps:-6}" --checkpoint-every 3 \
    "$@" >said 2>&1 || fail "$(cat said)"
}
ends_as() {
  [ -n "$(fingerprint "$1")" ] && [ "$(fingerprint "$1")" = "$(fingerprint "$2")" ] || fail "$1 and $2 differ"
}

small 1 one
civitas inspect one/checkpoints/step-00000006.h5 >said
grep -q '/generator/optimizer/deconv0.weight/momentum_buffer' said || fail "no momentum is stored: $(cat said)"
grep -q 'exp_avg' said && fail "moments of Adam are stored: $(cat said)"
small 2 pipe --mesh pipe=2
same one pipe
small 2 sharded --shard parameters --offload disk
same one sharded
small 2 served --update server
ends_as one served
small 2 turns --update async --max-staleness 0
ends_as one turns

# From the third step on, by ranks that are laid out otherwise.
small 2 half --resume one/checkpoints/step-00000003.h5 --mesh data=2 --shard optimizer
ends_as one half

# Rates of another schedule, or none, lead elsewhere.
elsewhere() {
  local learning=("$@")
  rm -rf elsewhere
  small 1 elsewhere
  [ "$(fingerprint one)" != "$(fingerprint elsewhere)" ] || fail "$* ends as ${learning[*]}"
}
elsewhere "${learning[@]/cosine/constant}"
elsewhere "${learning[@]/#3/2}"
elsewhere "${learning[@]/0.001/0}"
elsewhere "${learning[@]/0.8/0.7}"

# A longer run has another cosine, which is told. Adam cannot begin on the way; SGD can, where that is allowed.
steps=7 small 1 half
grep -q 'lr-schedule changes from cosine to step 6, warm-up of 3 steps to cosine to step 7' said ||
  fail "another schedule is not told: $(cat said)"
refuses 2 'optimizer = sgd, this run has adam' civitas train --run one "${small[@]}" --steps 7
refuses 2 'a run cannot change from --optimizer sgd to adam on its way' \
  civitas train --run one "${small[@]}" --steps 7 --allow-change optimizer
run civitas train --run adam "${small[@]}" --steps 2 >said 2>&1
refuses 2 'optimizer = adam, this run has sgd' civitas train --run adam "${small[@]}" "${learning[@]}" --steps 6
small 1 adam --allow-change optimizer
civitas inspect adam/checkpoints/step-00000006.h5 >said
grep -q 'momentum_buffer' said || fail "no momentum is stored: $(cat said)"
grep -q 'exp_avg' said && fail "moments of Adam are stored: $(cat said)"

refuses 2 'has nothing left after --warmup-steps 3 of a run of 3 steps' \
  civitas train --run none "${small[@]}" "${learning[@]}" --steps 3
[ ! -e none/checkpoints ] || fail 'a run that is refused leaves checkpoints'
