# Book orders against the stock.
declare -A stock
while IFS=$'\t' read -r sku _ n _; do [[ $sku == sku ]] || stock[$sku]=$n; done < data/products.tsv
while IFS=, read -r _ _ sku units _; do
  [[ $units =~ ^[0-9]+$ ]] || continue
  if (( stock[$sku] >= units )); then (( stock[$sku] -= units )); else echo "short of $sku: ${stock[$sku]} < $units"; fi
done < data/sales.csv
for sku in $(tr ' ' '\n' <<< "${!stock[@]}" | sort); do echo "$sku=${stock[$sku]}"; done
