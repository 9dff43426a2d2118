# Groups dates by quarter and weekday with date and with awk.
tail -n +2 data/employees.csv | while IFS=, read -r id name dept salary hired; do
  m=$(date -d "$hired" +%-m); echo "$(date -d "$hired" +%Y)-Q$(((m + 2) / 3)) $(date -d "$hired" +%a) $name"
done | sort
awk -F, 'NR > 1 { split($5, d, "-"); print strftime("%j", mktime(d[1] " " d[2] " " d[3] " 12 0 0")), $2 }' data/employees.csv | sort -n | head -3
for d in 2024-02-28 2023-12-31 2024-01-01; do date -d "$d + 1 day" +'%F %G-W%V'; done
a=$(date -d 2024-03-10 +%s) b=$(date -d 2024-02-10 +%s); echo "$(((a - b) / 86400)) days"
