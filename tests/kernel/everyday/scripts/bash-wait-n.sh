# The first job that ends.
( sleep 0.4; exit 4 ) & slow=$!
( sleep 0.02; exit 5 ) &
wait -n; echo "first: $?"
kill "$slow" 2> /dev/null
wait "$slow" 2> /dev/null; echo "killed: $?"
