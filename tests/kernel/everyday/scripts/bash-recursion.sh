# Recursive functions.
fact() { (( $1 < 2 )) && echo 1 || echo $(( $1 * $(fact $(($1 - 1))) )); }
fact 10
fib() { local n=$1; if ((n < 2)); then REPLY=$n; else fib $((n - 1)); local a=$REPLY; fib $((n - 2)); ((REPLY += a)); fi; }
fib 12; echo "$REPLY"
walk() { local d=$1 p=$2 e; for e in "$d"/*; do echo "$p${e##*/}"; [ -d "$e" ] && walk "$e" "$p  "; done; }
walk src ""
true
