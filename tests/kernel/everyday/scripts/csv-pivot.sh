# Units by product and region.
awk -F, 'NR > 1 { u[$3, $2] += $4; p[$3]; r[$2] }
END {
  n = asorti(p, ps); m = asorti(r, rs)
  printf "%-6s", ""; for (j = 1; j <= m; j++) printf "%7s", rs[j]; print ""
  for (i = 1; i <= n; i++) { printf "%-6s", ps[i]; for (j = 1; j <= m; j++) printf "%7d", u[ps[i], rs[j]]; print "" }
}' data/sales.csv
