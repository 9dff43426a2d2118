# A running total and the difference from the line before.
awk -F, -v OFS='\t' 'NR > 1 { total += $4; print $1, $4, total, (NR > 2 ? $4 - last : "-"); last = $4 }' data/sales.csv
