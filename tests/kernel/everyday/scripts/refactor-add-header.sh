# Add a licence header where it is missing.
header='// Copyright 2024 Shop. MIT.'
find src -name '*.js' | sort | while read -r f; do
  if ! head -1 "$f" | grep -q Copyright; then
    { echo "$header"; cat "$f"; } > "$f.new" && mv "$f.new" "$f"
    echo "added to $f"
  fi
done
head -2 "src/lib/old helper.js"
