# Call functions by their names.
cmd_build() { echo "building $*"; }
cmd_test() { echo "testing ${1:-all}"; }
run() {
  local name=cmd_$1; shift
  if declare -F "$name" > /dev/null; then "$name" "$@"; else echo "no such command: ${name#cmd_}"; return 127; fi
}
run build a b
run test
run deploy || echo "code $?"
compgen -A function | grep '^cmd_' | sort
