# The addresses with most requests and their bytes.
awk '{ n[$1]++; b[$1] += $10 } END { for (a in n) print n[a], a, b[a] }' logs/access.log | sort -rn | head -3
