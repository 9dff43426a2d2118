# Look up departments with two files in awk.
awk -F, 'NR == FNR { dep[$1] = $2; next } FNR > 1 { print $2 ", " (($3 in dep) ? dep[$3] : "unknown") }' data/departments.csv data/employees.csv
