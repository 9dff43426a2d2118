# A test runner in bash that prints TAP and fails when a test fails.
cat > t.sh <<'SH'
n=0 bad=0
ok() { ((++n)); if "${@:2}" > out.log 2>&1; then echo "ok $n - $1"; else echo "not ok $n - $1"; sed 's/^/# /' out.log; ((++bad)); fi; }
eq() { [[ $1 == "$2" ]] || { echo "expected: $2"; echo "     got: $1"; return 1; }; }
SH
. ./t.sh
add() { echo $(($1 + $2)); }
ok 'adds' eq "$(add 2 3)" 5
ok 'adds negatives' eq "$(add -2 -3)" -5
ok 'is wrong' eq "$(add 1 1)" 3
ok 'file exists' test -f README.md
ok 'program fails' grep -q nosuchtext README.md
ok 'matches' bash -c '[[ abc =~ ^a.c$ ]]'
echo "1..$n"; echo "# failed $bad"; exit $((bad > 0))
