# Mean, median, least and greatest of numbers.
sort -n data/numbers.txt | awk '
  { v[NR] = $1; s += $1 }
  END {
    m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
    printf "n=%d sum=%g mean=%.3f median=%g min=%g max=%g\n", NR, s, s / NR, m, v[1], v[NR]
  }'
