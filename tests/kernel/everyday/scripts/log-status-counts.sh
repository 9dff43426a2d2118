# Count the requests by status.
awk '{ print $9 }' logs/access.log | sort | uniq -c | sort -k1,1nr -k2,2n | while read -r n code; do echo "$code: $n"; done
