# Sort by two keys, the second one backwards.
(head -1 data/sales.csv; tail -n +2 data/sales.csv | sort -t, -k2,2 -k4,4nr) | cut -d, -f2-4
