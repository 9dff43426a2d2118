# Lines between two times.
awk '$1 " " $2 >= "2024-03-12 07:00" && $1 " " $2 < "2024-03-12 10:00" && /^[0-9]/' logs/app.log | cut -c12-
