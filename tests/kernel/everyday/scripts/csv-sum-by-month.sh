# Units and revenue by month, with a total.
awk -F, '
  NR == 1 { next }
  { m = substr($1, 1, 7); units[m] += $4; money[m] += $4 * $5; tu += $4; tm += $4 * $5 }
  END {
    n = 0
    for (m in units) keys[++n] = m
    for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++) if (keys[j] < keys[i]) { t = keys[i]; keys[i] = keys[j]; keys[j] = t }
    for (i = 1; i <= n; i++) printf "%-8s %6d %10.2f\n", keys[i], units[keys[i]], money[keys[i]]
    printf "%-8s %6d %10.2f\n", "total", tu, tm
  }' data/sales.csv
