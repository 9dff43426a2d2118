# Functions with local variables and return codes.
counter=0
add() { local n=${1:-1}; (( counter += n )); return $(( counter > 5 )); }
add 2 && echo "ok $counter"
add 4 || echo "over $counter"
max() { local m=$1; shift; for x; do (( x > m )) && m=$x; done; echo "$m"; }
max 3 9 4
outer() { local v=outer; inner; echo "$v"; }
inner() { v=changed; }
outer
echo "${v:-unset}"
