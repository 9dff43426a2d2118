# Use === in place of ==, except for null.
for f in $(grep -rlE '[^=!]==[^=]' src --include='*.js'); do
  sed -i.bak -E '/== null/! s/([^=!])==([^=])/\1===\2/g' "$f"
  diff "$f.bak" "$f"
done
find src -name '*.bak' -delete
find src -name '*.bak' | wc -l
