# A report with subtotals, shares and a pivot, aligned for reading.
tail -n +2 data/sales.csv | awk -F, '
{ v = $4 * $5; total += v; region[$2] += v; cell[$2, $3] += v; if (!($3 in p)) { p[$3]; order[++np] = $3 } }
END {
  printf "%-8s", "region"; for (i = 1; i <= np; i++) printf "%10s", order[i]; printf "%10s%8s\n", "total", "share"
  nr = asorti_(region, names)
  for (r = 1; r <= nr; r++) { k = names[r]; printf "%-8s", k; for (i = 1; i <= np; i++) printf "%10.2f", cell[k, order[i]]; printf "%10.2f%7.1f%%\n", region[k], 100 * region[k] / total }
}
function asorti_(a, out,   k, n, i, j, t) { for (k in a) out[++n] = k; for (i = 2; i <= n; i++) for (j = i; j > 1 && out[j] < out[j - 1]; j--) { t = out[j]; out[j] = out[j - 1]; out[j - 1] = t } return n }'
join -t, -1 3 -2 1 -a 1 -e '?' -o 1.2,2.2,1.4 <(tail -n +2 data/employees.csv | sort -t, -k3,3) <(sort data/departments.csv) | sort -t, -k2,2 -k3,3nr | awk -F, '$2 != d { if (d != "") print ""; d = $2; print d ":" } { printf "  %s %d\n", $1, $3 }'
