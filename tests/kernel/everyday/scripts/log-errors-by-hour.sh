# Failed requests by hour.
grep -E '" [45][0-9]{2} ' logs/access.log | sed -E 's/.*\[([^:]+):([0-9]{2}).*/\1 \2h/' | sort | uniq -c
