# 20 steps of dcgan-64 with the stages of both nets on two ranks give the bits of two ranks that
# share the batch.
source "$ROOT/tests/support/runs.sh"
train 2 data --steps 20 --mesh data=2
train 2 pipe --steps 20 --mesh pipe=2 --schedule gan --stage-devices cpu,cpu --node-size 1
same data pipe
grep -q '^stage-devices = cpu,cpu' pipe/config.ini || fail 'the devices of the stages are not kept'
grep -q "every 1 rank counts as a node" pipe/log/rank-0.txt || fail "not told: $(cat pipe/log/rank-0.txt)"
