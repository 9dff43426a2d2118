# Handle a signal.
trap 'echo got term; exit 143' TERM
trap 'echo bye' EXIT
( sleep 0.05; kill -TERM $$ ) &
for i in $(seq 1 200); do sleep 0.02; done
echo never
