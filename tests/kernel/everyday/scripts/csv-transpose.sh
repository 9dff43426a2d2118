# Transpose a small table.
head -3 data/employees.csv | awk -F, '{ for (i = 1; i <= NF; i++) c[i] = c[i] (NR > 1 ? "," : "") $i; n = NF } END { for (i = 1; i <= n; i++) print c[i] }'
