# Try a command again with a growing pause.
tries=$(mktemp)
flaky() { echo x >> "$tries"; (( $(wc -l < "$tries") >= 3 )); }
retry() {
  local max=$1 n=1; shift
  until "$@"; do
    (( n >= max )) && { echo "gave up after $n"; return 1; }
    echo "attempt $n failed"
    sleep "0.0$n"
    (( n++ ))
  done
  echo "worked at attempt $n"
}
retry 5 flaky
retry 2 false || exit 9
