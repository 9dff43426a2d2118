# Reorder columns and drop one.
cut -d, -f2-4 data/employees.csv | awk 'BEGIN { FS = OFS = "," } { print $2, $1 }' > reordered.csv
paste -d'|' reordered.csv <(cut -d, -f5 data/employees.csv)
