# A progress bar in one line.
total=20
for ((i = 5; i <= total; i += 5)); do
  done_=$((i * 10 / total))
  printf '\r[%-10s] %3d%%' "$(printf '#%.0s' $(seq 1 "$done_"))" $((i * 100 / total))
done | tr '\r' '\n'
echo
