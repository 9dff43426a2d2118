# Check variables that must be set.
: "${HOME:?must be set}"
check() { for v in "$@"; do [[ -n ${!v:-} ]] || { echo "missing $v"; return 3; }; done; }
A=1; check A HOME && echo good
check A BB || echo "code $?"
( : "${NOPE:?is required}" ) 2> /dev/null || echo "subshell ended with $?"
