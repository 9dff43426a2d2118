# Write to a log in the background and read what is in it at the end.
log=$(mktemp)
( for i in 1 2 3; do echo "step $i"; sleep 0.02; done; echo "done" ) >> "$log" &
pid=$!
wait "$pid"
grep -n step "$log" | tail -2
rm "$log"
