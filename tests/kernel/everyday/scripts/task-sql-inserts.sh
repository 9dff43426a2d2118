# SQL of a CSV.
awk -F, 'NR > 1 { gsub(/\047/, "\047\047", $2); printf "INSERT INTO employees VALUES (%d, \047%s\047, %s, %d);\n", $1, $2, ($3 == "" ? "NULL" : $3), $4 }' data/employees.csv | tee out.sql | head -2
grep -c NULL out.sql
