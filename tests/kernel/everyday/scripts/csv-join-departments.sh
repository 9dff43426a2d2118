# Join employees with departments.
export LC_ALL=C
join -t, -1 3 -2 1 -o 1.2,2.2,1.4 <(tail -n +2 data/employees.csv | sort -t, -k3,3) <(sort -t, -k1,1 data/departments.csv)
echo "-- without a department"
join -t, -1 3 -2 1 -v 1 -o 1.2,1.3 <(tail -n +2 data/employees.csv | sort -t, -k3,3) <(sort -t, -k1,1 data/departments.csv)
