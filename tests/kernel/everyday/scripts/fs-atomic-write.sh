# Replace a file without a moment in which it is half.
write_atomic() {
  local target=$1 tmp
  tmp=$(mktemp "${target}.XXXXXX") || return
  if cat > "$tmp" && [ -s "$tmp" ]; then mv -f "$tmp" "$target"; else rm -f "$tmp"; return 1; fi
}
echo "v2" | write_atomic config/version && cat config/version
printf '' | write_atomic config/version || echo "refused empty"
cat config/version
ls config | grep -c version
