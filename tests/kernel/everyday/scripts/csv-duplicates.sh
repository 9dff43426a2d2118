# Find duplicate keys in a column.
tail -n +2 data/employees.csv | cut -d, -f3 | sort | uniq -d
awk -F, 'NR > 1 && seen[$3]++ { print "again " $3 " in line " NR }' data/employees.csv
