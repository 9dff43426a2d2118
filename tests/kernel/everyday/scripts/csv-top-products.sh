# The three largest sales.
tail -n +2 data/sales.csv | awk -F, -v OFS=, '{ print $0, $4 * $5 }' | sort -t, -k6,6gr | head -3 | cut -d, -f3,6
