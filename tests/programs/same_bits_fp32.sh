# 20 steps of dcgan-64 in fp32 give the same fingerprint and metrics on 1, 2 and 4 ranks; so do 10
# steps on four ranks and 10 more on one.
source "$ROOT/tests/support/runs.sh"
for n in 1 2 4; do train $n on.$n --steps 20; done
same on.1 on.2
same on.1 on.4
train 4 mixed --steps 10
train 1 mixed --steps 20
same on.1 mixed
[ "$(figures on.1 | grep -c step)" = 20 ] || fail "not 20 lines of metrics"
