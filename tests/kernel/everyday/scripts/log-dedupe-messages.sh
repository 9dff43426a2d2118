# Merge messages that differ in numbers only.
cut -d' ' -f3- logs/app.log | grep -E '^(INFO|WARN|ERROR)' | sed -E 's/[0-9]+/N/g; s/ +/ /g' | sort | uniq -c | sort -rn | head -4
