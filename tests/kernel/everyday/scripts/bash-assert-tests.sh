# A small test framework.
pass=0 fail=0
assert_eq() { if [[ $1 == "$2" ]]; then ((++pass)); else ((++fail)); echo "FAIL $3: '$1' is not '$2'"; fi; }
slug() { echo "$1" | tr 'A-Z' 'a-z' | sed -E 's/[^a-z0-9]+/-/g; s/^-|-$//g'; }
assert_eq "$(slug 'Hello, World!')" hello-world punctuation
assert_eq "$(slug '  A  B ')" a-b spaces
assert_eq "$(slug 'É')" e accents
echo "$pass passed, $fail failed"
exit $(( fail > 0 ))
