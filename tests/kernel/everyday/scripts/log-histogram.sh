# A histogram of requests by hour.
cut -d: -f2 logs/access.log | sort | uniq -c | while read -r n h; do
  printf '%s %s %d\n' "$h" "$(head -c "$n" /dev/zero | tr '\0' '*')" "$n"
done
