# Add an entry to a file once.
hosts=$(mktemp)
printf '127.0.0.1 localhost\n' > "$hosts"
add_host() { grep -qxF "$1 $2" "$hosts" || echo "$1 $2" >> "$hosts"; }
add_host 10.0.0.1 db
add_host 10.0.0.1 db
add_host 10.0.0.2 cache
cat "$hosts"
rm -f "$hosts"
