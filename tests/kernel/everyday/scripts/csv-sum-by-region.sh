# Revenue by region.
awk -F, 'NR > 1 { sum[$2] += $4 * $5 } END { for (r in sum) printf "%s %.2f\n", r, sum[r] }' data/sales.csv | sort -k2,2nr
