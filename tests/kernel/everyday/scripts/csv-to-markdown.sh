# A markdown table of a CSV.
awk -F, '
  { printf "|"; for (i = 1; i <= NF; i++) printf " %s |", $i; print "" }
  NR == 1 { printf "|"; for (i = 1; i <= NF; i++) printf "---|"; print "" }
' data/employees.csv > table.md
head -4 table.md
