# Check the columns of a CSV and fail with the line.
printf '1,x,10,5000\n' >> data/employees.csv
expected=$(head -1 data/employees.csv | awk -F, '{ print NF }')
awk -F, -v n="$expected" 'NF != n { printf "line %d: %d fields, expected %d\n", NR, NF, n; bad = 1 } END { exit bad }' data/employees.csv || { code=$?; echo "invalid ($code)"; exit 4; }
echo valid
