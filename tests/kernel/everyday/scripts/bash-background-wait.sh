# Jobs in the background and their codes.
work() { sleep "0.0$1"; return "$1"; }
pids=()
for n in 3 1 2; do work "$n" & pids+=($!); done
failed=0
for pid in "${pids[@]}"; do wait "$pid" || failed=$((failed + $?)); done
echo "sum of codes: $failed"
wait
jobs | wc -l
