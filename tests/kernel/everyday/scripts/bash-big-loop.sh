# A loop of many rounds.
sum=0
for ((i = 0; i < 5000; i++)); do (( sum += i % 7 )); done
echo "$sum"
i=0; while read -r n; do (( i += n )); done < <(seq 1 2000); echo "$i"
s=; for c in {a..z}; do s+=$c; done; echo "$s"
