# Percentiles of durations, with a histogram of powers of two.
grep -oE '(took|after)=[0-9]+ms' logs/app.log | tr -dc '0-9\n' > ms.txt
jq -r 'select(.ms) | .ms' data/events.ndjson >> ms.txt
sort -n ms.txt | awk '{ v[NR] = $1; s += $1 } END { n = split("50 90 99", q, " "); for (i = 1; i <= n; i++) { k = int(NR * q[i] / 100 + 0.999); print "p" q[i], v[k] } printf "mean %.1f max %d n %d\n", s / NR, v[NR], NR }'
awk '{ b = 0; while (2 ^ (b + 1) <= $1) b++; h[b]++; if (b > m) m = b } END { for (i = 0; i <= m; i++) if (h[i]) { bar = ""; for (j = 0; j < h[i]; j++) bar = bar "*"; printf "%6d-%-6d %s\n", 2 ^ i, 2 ^ (i + 1) - 1, bar } }' ms.txt
