# Show a CSV as a table.
column -t -s, data/employees.csv
echo
head -3 data/sales.csv | column -s, -t
