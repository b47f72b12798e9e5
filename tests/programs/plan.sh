# `civitas plan`: what it prints and draws, and what it refuses. Nothing is trained.
plan=(civitas plan --net dcgan-64 --batch 32 --micro-batch 4)
said() { "${plan[@]}" "$@" >said || fail "exit code $? of plan $*"; }
has() { grep -qF -- "$1" said || fail "no '$1' in: $(cat said)"; }

said --mesh data=2,pipe=2 --schedule gan --draw step.svg
has 'mesh data=2,pipe=2,tensor=1, schedule gan'
has 'Sums of gradients over the data axis'
has 'G1 - D0'
has 'F G forward'
awk 'length > 100 { print; wrong = 1 } END { exit wrong }' said || fail 'a line is wider than 100'
grep -q '<svg' step.svg && grep -q 'D0.real.F0' step.svg || fail 'no picture of the step'
said --mesh pipe=2 --brief
! grep -q 'F G forward' said || fail 'brief shows the schedule'

# A tensor axis: the same weights in two parts, exchanges told, slower over the network.
said --mesh data=2,pipe=2,tensor=2 --brief
has 'Stages as each rank of a tensor group has them'
has 'Exchanges over the tensor axis'
printf 'nodes = 8\ngpus = 1\n' >nodes.ini
exchange() { sed -n '/^Exchanges/,$p' said | sed -n '3s/.* \([0-9.]*\) ms$/\1/p'; }
node=$(exchange)
said --mesh data=2,pipe=2,tensor=2 --brief --machine nodes.ini
awk "BEGIN { exit !($(exchange) > $node) }" || fail "over the network $(exchange) ms, within a node $node ms"

# More memory bandwidth, less time; memory of a rank is a share of the node's.
printf 'cores = 4\nmemory = 8e9\nmemory-bandwidth = 1e9 # slow\n' >slow.ini
printf 'cores = 4\nmemory = 8e9\nmemory-bandwidth = 1e12\n' >fast.ini
step() { sed -n 's/^A step takes \([0-9.]*\) ms.*/\1/p' said; }
said --mesh pipe=2 --machine slow.ini
has 'it has 4000.0 MB'
slow=$(step)
said --mesh pipe=2 --machine fast.ini
awk "BEGIN { exit !($(step) < $slow) }" || fail "fast $(step), slow $slow"

# All meshes of four ranks, and one of them by its rest.
said --ranks 4 --draw best.svg
for mesh in data=4,pipe=1 data=2,pipe=2 data=1,pipe=4 data=1,pipe=2,tensor=2; do has "$mesh"; done
has 'Only CPUs: 4 ranks share 8 cores.'
has 'Strategy for 4 ranks: '
has 'mpirun -n 4 --bind-to none civitas train --tiles tiles.h5 --run run --mesh data='
has ',tensor=1 --batch 32'
grep -q '<svg' best.svg || fail 'no picture of the best'
said --ranks 4 --mesh data=auto,pipe=2
has 'mesh data=2,pipe=2,tensor=1'
echo 'memory = 1e7' >tiny.ini
refuses 2 'no mesh of 2 ranks fits. Hint: more nodes or memory' "${plan[@]}" --ranks 2 --machine tiny.ini
echo 'memory = 1.6e9' >disk.ini
refuses 2 ' --offload disk.' civitas plan --net dcgan-256 --batch 8 --ranks 2 --machine disk.ini
grep -q 'no mesh of 2 ranks fits. Hint: --mesh ' said || fail "no mesh in the hint: $(cat said)"
refuses 2 'no mesh of 3 ranks fits. Hint: another --batch or --micro-batch' \
  civitas plan --batch 8 --micro-batch 8 --replicas 2 --ranks 3
refuses 2 'mesh data=1,pipe=2,tensor=1 needs 2 ranks, --ranks says 4. Hint: --ranks 2, or --mesh data=2,pipe=2,' \
  "${plan[@]}" --ranks 4 --mesh pipe=2
refuses 2 'it has 5.0 MB. Hint: more nodes or memory' "${plan[@]}" --mesh pipe=2 --machine tiny.ini
# More micro-batches than a table holds are refused at once, thousands are planned.
refuses 2 'a step of 800000 micro-batches a rank through 1 stage is more than a table can hold' \
  civitas plan --net dcgan-64 --batch 800000 --micro-batch 1
civitas plan --net dcgan-64 --batch 16000 --micro-batch 4 --mesh pipe=2 --brief >said
has 'batch 16000 in 4000 micro-batches of 4'
# A little too little memory: it is saved by itself, and said.
said --brief
needs=$(sed -n '/^Memory/,/^$/s/^ *0 .* \([0-9.]*\)$/\1/p' said | sort -g | tail -1)
echo "memory = $(awk "BEGIN { printf \"%.0f\", ($needs - 1) * 1e6 }")" >short.ini
said --brief --machine short.ini
has ' by itself, with which it needs '
has ' MB: weights, moments and sums '
# Ranks that do not wait are planned by the times of their steps.
said --update async --ranks 9 --rank-seconds 0.3,0.6,0.6
has 'to the fastest rank             6.00            4.50'
has '0.300 s                            3           450.0          50.0 %'
refuses 2 '--mesh and --update async are both given' "${plan[@]}" --update async --rank-seconds 1 --mesh data=2
refuses 2 '--measure and --update async are both given' "${plan[@]}" --update async --rank-seconds 1 --measure
refuses 2 '--rank-seconds has 3 times for 2 ranks' "${plan[@]}" --update async --rank-seconds 1,2,3 --ranks 2
# Ranks among servers, by what they do.
said --update server --ranks 5 --servers 2
has 'Weights on servers: 2 of 5 ranks serve, 3 work; gradients lack at most 0 updates.'
grep -qE '^  rank 1( +[0-9.]+){8}$' said && grep -qE '^  ranks 2 to 4( +[0-9.]+){2} +works$' said ||
  fail "not told: $(cat said)"
refuses 2 'it has 2.0 MB. Hint: --recompute, other --servers' "${plan[@]}" --update server --ranks 5 --machine tiny.ini
refuses 2 'is planned for a number of ranks. Hint: --ranks 4' "${plan[@]}" --update server
refuses 2 '--servers 2 leaves no worker of 2 ranks' "${plan[@]}" --update server --ranks 2 --servers 2
refuses 2 '--shard and --update server are both given' "${plan[@]}" --update server --ranks 2 --shard optimizer
refuses 2 '--kernels auto' "${plan[@]}" --update server --ranks 2 --kernels auto
# The file of a run on servers says what it does not do, too.
printf '%s\n' 'update = server' 'mesh =' 'shard = none' 'offload = none' 'replicas = 1' >served.ini
said --config served.ini --ranks 3 --recompute
refuses 2 '--ranks -3: expected 1 to 1024' "${plan[@]}" --ranks -3

# Shard levels of one layout and of the best mesh, which has the fastest; one that is asked for stays.
said --mesh data=2 --brief
has 'Shard levels of this layout'
levels() { sed -n '/^Shard levels/,/^$/p' said | awk 'NR > 2 && NF { print $1 }' | xargs; }
[ "$(levels)" = 'none optimizer gradients parameters' ] || fail "levels: $(levels)"
shards() { sed -n '/^Memory/,/^$/s/^ *0 .* \([0-9.]*\)$/\1/p' said; }
offered=$(awk '/^With/ { exit } /^  gradients / { print $6 }' said)
said --mesh data=2 --shard gradients --brief
[ "$offered" = "$(shards)" ] || fail "gradients: offered with $offered MB, planned with $(shards)"
said --mesh data=2 --shard parameters --brief
has 'Weights and gradients over the data axis'
said --ranks 2 --weight-copies rank --brief
has '--mesh data=2,pipe=1,tensor=1 --shard optimizer --weight-copies rank'
has 'Shard levels of this layout'
awk 'length > 100 && !/^mpirun/ { print; wrong = 1 } END { exit wrong }' said || fail 'a line is wider than 100'
said --ranks 2 --shard none --weight-copies rank --brief
! tail -n 1 said | grep -q -- --shard || fail "not as asked: $(tail -n 1 said)"
# What ranks of a node have once they update together, at any level.
said --ranks 2 --brief
! tail -n 1 said | grep -qe --shard -e --weight-copies || fail "not needed: $(tail -n 1 said)"
awk '$1 == "none" { none = $NF " " $2 } $1 == "optimizer" { same = none == $NF " " $2 } END { exit !same }' said ||
  fail "levels of a node: $(cat said)"
said --mesh data=2 --brief
has 'weights once for 2 ranks of a node'
# A disk: as much less in memory as lies there, and a longer step.
has 'With --offload disk'
awk '/^With/ { on = 1 } on && $1 == "none" { exit !($3 > 0 && $NF > 1) }' said || fail "no disk: $(cat said)"
# Of GPUs the memory of the host, on request or where nothing else fits.
echo 'gpus = 2' >gpus.ini
said --mesh data=2 --machine gpus.ini --brief
has 'With --offload host: MB of the rank that needs most, a step:'
said --mesh data=2 --machine gpus.ini --offload host --brief
awk '/^Offloaded by a rank/ { on = 1 } on && /in host memory/ { told = 1 } END { exit !told }' said ||
  fail "no word of the host's memory: $(cat said)"
has ', offload host,'
said --mesh data=1 --machine gpus.ini --redraw --recompute --brief
awk '/^Memory/ { getline; getline; printf "gpus = 1\ngpu-memory = %.0f\n", ($NF - 5) * 1e6 }' said >tight.ini
refuses 2 ' --redraw --offload host.' \
  "${plan[@]}" --mesh data=1 --machine tight.ini --redraw --recompute
# What makes replicas fit is named.
said --mesh data=2 --weight-copies rank --brief
offered=$(awk '/^With/ { exit } /^  gradients / { print $6 }' said)
echo "memory = $(awk "BEGIN { printf \"%.0f\", 2 * $offered * 1e6 }")" >short.ini
refuses 2 'Hint: --mesh data=2,pipe=1,tensor=1 --shard ' \
  "${plan[@]}" --mesh data=2 --weight-copies rank --recompute --machine short.ini

# Copies of checkpoints in the background count as training counts them, and can be done without.
paper=(--generator-widths "512,256,128,64")
said --mesh data=2 --checkpoint-mode async --brief "${paper[@]}"
has 'Part of all is what a rank copies for checkpoints in the background:'
copied=$(sed -n '/^Part of all/,/^$/s/^ *0 *\([0-9.]*\) MB$/\1/p' said)
awk "BEGIN { exit !($copied > 40 && $copied < 50) }" || fail "copied: $copied MB, of 90.4 by two"
echo "memory = $(awk "BEGIN { printf \"%.0f\", 2 * ($(shards) - $copied / 2) * 1e6 }")" >short.ini
copies=(--mesh data=2 --redraw --recompute --checkpoint-mode async --machine short.ini "${paper[@]}")
refuses 2 ", copy for checkpoints $copied MB, process" "${plan[@]}" "${copies[@]}"
grep -q 'Hint: .*--checkpoint-mode sync\.' said || fail "no way out: $(cat said)"
said --ranks 2 --checkpoint-mode async --brief
tail -n 1 said | grep -q -- ' --checkpoint-mode async' || fail "the command does without: $(tail -n 1 said)"

# A printed table is read back as the same plan, whatever its file is called.
said --mesh pipe=2 --schedule gan --placement reversed --redraw --brief --print 'my table.txt'
has 'wrote my table.txt'
sed '/^dcgan-64/d; /^mesh/d; /^wrote/d' said >plan.of.gan
said --mesh pipe=2 --schedule 'my table.txt' --brief --print again.txt
sed '/^dcgan-64/d; /^mesh/d; /^wrote/d' said | cmp - plan.of.gan || fail 'a printed table is another plan'
[ "$(head -n 1 again.txt)" = 'schedule my_table.txt' ] || fail "named: $(head -n 1 again.txt)"
cmp <(tail -n 2 again.txt) <(tail -n 2 'my table.txt') || fail 'a printed table is another table'
said --mesh pipe=2 --schedule again.txt --brief --print -
has "$(tail -n 1 again.txt)"
# Also with units for stages, of which a coordinate may have more than another; it has one shard level.
the_plan() { sed '/^mesh/d; /^Shard levels/Q; /^With --offload/Q' said; }
said --mesh data=2,pipe=2 --shard parameters --brief --print units.txt
the_plan >plan.of.units
said --mesh data=2,pipe=2 --shard parameters --schedule units.txt --brief
the_plan | cmp - plan.of.units || fail 'a table of units is another plan'
said --ranks 2 --brief --print best.txt
[ "$(wc -l <best.txt)" -ge 2 ] || fail "no table of the best: $(cat best.txt)"
refuses 2 'no/such/folder' "${plan[@]}" --print no/such/folder/table.txt

# What is chosen cannot be given.
for option in '--schedule gan' '--placement same' --redraw --recompute '--stages 3,2' \
  '--discriminator-stages 3,2'; do
  read -ra words <<<"$option"
  refuses 2 "${words[0]} is what --ranks 2 chooses. Hint: with --mesh it is yours" \
    "${plan[@]}" --ranks 2 "${words[@]}"
done
own=(--mesh pipe=2 --schedule again.txt)
for option in '--placement same' --redraw --recompute; do
  read -ra words <<<"$option"
  decided="${words[0]} is given, but the table again.txt says it itself"
  refuses 2 "$decided" "${plan[@]}" "${own[@]}" "${words[@]}"
  refuses 2 "$decided" civitas train --tiles tiles.h5 --run run "${own[@]}" "${words[@]}"
done
refuses 2 '--placement is given, but the table again.txt' "${plan[@]}" "${own[@]}" --placement reversed
said --mesh pipe=2 --schedule again.txt --placement auto --redraw=false --brief

# Timed layers, and a table of the user's own.
small=(--mesh pipe=2 --measure --brief --generator-widths 8,8,8,8 --discriminator-widths 8,8,8,8)
said "${small[@]}"
grep -q '^Layers timed by one process alone, with .*; 2 ranks at once take longer: mpirun -n 2 ' said ||
  fail "it does not say what was timed: $(head -n 1 said)"
ranks 2 "${plan[@]}" "${small[@]}" >said 2>&1
grep -q '^Layers timed by 2 processes at once, the slowest of each, with .* each\.$' said ||
  fail "it does not say what was timed: $(head -n 1 said)"
refuses 2 '8 micro-batches of 4, cannot be shared by 3 ranks' "${plan[@]}" --mesh data=3 --measure
! grep -q '^Layers timed' said || fail 'layers are timed for what cannot be planned'
printf 'schedule mine\n%s\n' "G0.generate.F0" >mine.txt
refuses 2 'schedule mine.txt: D0.real.F0 is missing' "${plan[@]}" --schedule mine.txt

refuses 2 "unknown schedule 'zerobubble'" "${plan[@]}" --mesh pipe=2 --schedule zerobubble
refuses 2 '8 micro-batches of 4, cannot be shared by 3 ranks' "${plan[@]}" --mesh data=3
refuses 2 'stages are asked for' "${plan[@]}" --mesh pipe=40
refuses 2 'tensor=3 divides no layer of generator' "${plan[@]}" --mesh tensor=3
refuses 2 'the number of ranks is not known here' "${plan[@]}" --mesh data=auto
refuses 2 "unknown placement 'left'" "${plan[@]}" --placement left
echo 'kores = 4' >wrong.ini
refuses 2 'wrong.ini:1: unknown option kores. Hint: did you mean cores?' "${plan[@]}" --machine wrong.ini
echo 'zzz = 3' >wrong.ini
refuses 2 'unknown option zzz. Hint: one of nodes, cores, ' "${plan[@]}" --machine wrong.ini
echo 'memory = -1' >wrong.ini
refuses 2 'wrong.ini: no machine has memory = -1' "${plan[@]}" --machine wrong.ini
echo 'network-latency = -1' >wrong.ini
refuses 2 'wrong.ini: no machine has network-latency = -1' "${plan[@]}" --machine wrong.ini
machine() {
  echo "$1" >wrong.ini
  refuses 2 "wrong.ini: no machine has $2" "${plan[@]}" --machine wrong.ini
}
machine 'memory = inf' 'memory = inf. Hint: a number from 1 to 1e+18'
machine 'memory = 2e18' 'memory = 2e+18. Hint: a number from 1 to 1e+18'
machine 'fp32-flops = 1e-300' 'fp32-flops = 1e-300. Hint: a number from 1 to 1e+18'
machine 'link-latency = inf' 'link-latency = inf. Hint: a number from 0 to 1e+18'
machine 'nodes = 2147483647' 'nodes = 2147483647. Hint: a number from 1 to 1000000'
machine 'cores = 0' 'cores = 0. Hint: a number from 1 to 1000000'
machine 'gpus = 1000001' 'gpus = 1000001. Hint: a number from 0 to 1000000'
printf 'nodes = 1000000\ncores = 1000000\ngpus = 1000000\nmemory = 1e18\n' >most.ini
said --mesh pipe=2 --brief --machine most.ini
run "${plan[@]}" --brief --momentum 0.5 >plan.txt 2>said
grep -qx 'warning: --momentum does nothing by --optimizer adam: it is of sgd' said || fail "no warning: $(cat said)"
# What is told must arrive; `-h` is the short word for --help.
refuses 1 'what is told cannot be written' bash -c '"$@" >/dev/full' _ "${plan[@]}" --brief
run civitas plan -h >said
grep -q -- '--schedule' said || fail "plan -h is no help: $(cat said)"
refuses 2 'cannot read the machine gone.ini. Hint: a file of lines like cores = 16' "${plan[@]}" --machine gone.ini
refuses 2 'no/such/folder' "${plan[@]}" --draw no/such/folder/step.svg

# A run along the pipe keeps what the formulas say, and tells what was planned beside it.
make_store tiles.h5 20 64
pipe=(ranks 2 civitas train --tiles tiles.h5 --run run --net dcgan-64 --nz 8
  --generator-widths 32,16,16,8 --discriminator-widths 8,16,16,32 --batch 16 --micro-batch 2
  --mesh pipe=2 --threads 1 --sample-every 0)
"${pipe[@]}" --steps 3 >said
has 'timed all layers in '
has 'a step should take'
for row in 'weights, moments, sums' '  parameters' '  sums of gradients' '  moments' '  mean of weights' \
  'saved activations'; do
  grep -qE "^  $row +([0-9.]+ MB) +\\1 +([0-9.]+ MB) +\\2\$" said || fail "planned is not measured: $(grep "$row" said)"
done
grep -qE '^  step +[0-9.e-]+ s +[0-9.e-]+ s$' said || fail "no seconds of a step: $(cat said)"
grep -qE '^  bubble +[0-9.]+ % +[0-9.]+ %$' said || fail "no bubble: $(cat said)"
# The command that a plan ends with trains as it is.
civitas plan --ranks 2 --brief --net dcgan-64 --nz 8 --generator-widths 32,16,16,8 \
  --discriminator-widths 8,16,16,32 --batch 16 --micro-batch 2 >said
mpi='--oversubscribe --quiet --mca mpi_yield_when_idle 1'
tail -n 1 said |
  sed "s/--bind-to none/& $mpi/; s/--run run/--run planned --steps 1 --threads 1/" >planned.sh
grep -q -- '--run planned' planned.sh || fail "no command: $(cat said)"
run bash planned.sh >/dev/null
# The layers are timed once.
"${pipe[@]}" --steps 4 >said
! grep -q 'timed all layers' said || fail 'the layers were timed again'

# Only measuring needs MPI: a plan is made where none can start, and told once where a launcher starts several.
broken=(env OMPI_MCA_pml=none-such timeout 60)
run civitas inspect tiles.h5 >/dev/null
"${broken[@]}" civitas inspect tiles.h5 >said 2>&1 && fail 'MPI starts all the same'
"${broken[@]}" "${plan[@]}" --mesh pipe=2 >alone 2>&1 || fail "MPI is asked for: $(cat alone)"
refuses 2 "unknown option --mseh. Hint: did you mean --mesh?" "${broken[@]}" "${plan[@]}" --mseh pipe=2
"${broken[@]}" civitas plan --help | grep -- --measure >/dev/null || fail 'no help without MPI'
ranks 3 "${plan[@]}" --mesh pipe=2 >said 2>&1
cmp alone said || fail 'several processes do not plan as one does'
launched=(timeout 60 mpirun --quiet --oversubscribe --bind-to none -n 3)
refuses 2 "unknown option --mseh. Hint: did you mean --mesh?" "${launched[@]}" "${plan[@]}" --mseh pipe=2
[ "$(grep -c 'unknown option' said)" = 1 ] || fail "told more than once: $(cat said)"

# Files that measuring ranks read are the root's; a file alone comes too late to start MPI.
echo 'measure = true' >measure.ini
refuses 2 'measure in measure.ini is read too late to start MPI. Hint: --measure on the command line' \
  "${plan[@]}" --config measure.ini
for no in false off no 0; do
  "${broken[@]}" "${plan[@]}" --measure=$no --brief >said || fail "--measure=$no needs MPI"
  ! grep -q 'Layers timed' said || fail "--measure=$no times layers"
done
mkdir -p own0 own1
echo 'nodes = 1' | tee own0/machine.ini own1/machine.ini >/dev/null
printf 'cores = 2\n' >>own0/machine.ini
printf 'cores = none\n' >>own1/machine.ini
# shellcheck disable=SC2016
ranks 2 bash -c 'cd "own$OMPI_COMM_WORLD_RANK" && exec "$@"' - "${plan[@]}" --mesh data=2 --measure \
  --machine machine.ini --brief >said
grep -q 'Layers timed by 2 processes at once' said || fail "not measured: $(cat said)"
