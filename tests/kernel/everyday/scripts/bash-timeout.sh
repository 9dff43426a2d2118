# End what takes too long.
timeout 0.1 sleep 5; echo "exit $?"
timeout 5 echo quick; echo "exit $?"
timeout -s KILL 0.1 sleep 5; echo "exit $?"
if ! timeout 0.1 bash -c 'while :; do sleep 0.01; done'; then echo "stopped"; fi
