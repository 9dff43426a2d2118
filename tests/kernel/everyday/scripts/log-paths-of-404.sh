# Paths that were not found.
awk '$9 == 404 { print $7 }' logs/access.log | sort -u
awk -F'"' '$6 ~ /sqlmap/ { split($2, r, " "); print r[2] }' logs/access.log
