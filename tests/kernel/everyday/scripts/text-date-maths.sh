# Dates from fixed days.
date -u -d '2024-02-28 + 2 days' +%F
date -u -d '2024-01-31 12:00:00' +%s
date -u -d @1700000000 '+%Y-%m-%dT%H:%M:%SZ'
date -d '2024-03-10' '+%A %j week %V'
a=$(date -ud 2024-03-01 +%s) b=$(date -ud 2024-01-01 +%s); echo "$(( (a - b) / 86400 )) days"
date -u -d '2024-12-25 09:30 +0200' +%H:%M
for i in 0 1 2; do date -u -d "2024-02-27 + $i day" +%d.%m.; done | paste -sd' '
date -u -d 'last monday 2024' > /dev/null 2>&1; date -u -R -d '2024-05-05 10:00'
