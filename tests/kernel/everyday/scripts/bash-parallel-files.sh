# Work on files in parallel, at most two at a time.
mkdir -p out
for f in text/*.txt; do
  while (( $(jobs -rp | wc -l) >= 2 )); do wait -n; done
  { wc -w < "$f" > "out/$(basename "$f" .txt).count"; } &
done
wait
grep -H . out/*.count
