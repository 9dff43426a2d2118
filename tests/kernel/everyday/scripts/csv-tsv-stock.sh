# Products that must be ordered.
while IFS=$'\t' read -r sku name stock price; do
  [ "$sku" = sku ] && continue
  if (( stock == 0 )); then state=OUT
  elif (( stock < 50 )); then state=low
  else state=ok
  fi
  printf '%-4s %-10s %4d %s\n' "$sku" "$name" "$stock" "$state"
done < data/products.tsv
