# Print long-serving employees.
{
  read -r header
  echo "columns: ${header//,/ }"
  while IFS=, read -r id name dep salary hired; do
    [[ ${hired%%-*} -lt 2018 ]] || continue
    echo "$name since ${hired:0:4} in ${dep:-none}"
  done
} < data/employees.csv
