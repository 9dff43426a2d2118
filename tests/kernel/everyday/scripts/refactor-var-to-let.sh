# Replace var by let in JavaScript.
find src -name '*.js' -print0 | sort -z | while IFS= read -r -d '' f; do
  n=$(grep -cE '^\s*var ' "$f" || true)
  if [ "$n" -gt 0 ]; then
    sed -i -E 's/^(\s*)var /\1let /' "$f"
    echo "$f: $n"
  fi
done
grep -rn '\bvar\b' src || echo "none left"
