# Count the levels of a log.
for level in ERROR WARN INFO DEBUG TRACE; do
  printf '%-6s %d\n' "$level" "$(grep -c " $level " logs/app.log)"
done
