# Parallel work whose order is not important.
seq 1 8 | xargs -P 4 -I{} sh -c 'echo "$(({} * {}))"' | sort -n | paste -sd' '
find src -name '*.js' -print0 | xargs -0 -P 3 -n 1 wc -c | awk '{ s += $1 } END { print s }'
