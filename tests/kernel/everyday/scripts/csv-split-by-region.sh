# Write a file for each region.
mkdir -p by-region
awk -F, 'NR == 1 { h = $0; next } { f = "by-region/" $2 ".csv"; if (!(f in seen)) { print h > f; seen[f] = 1 } print > f }' data/sales.csv
wc -l by-region/*.csv
