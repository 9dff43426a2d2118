# Share of each product with a bar.
awk -F, 'NR>1{u[$3]+=$4;t+=$4} END{for(p in u) printf "%s %.1f\n", p, 100*u[p]/t}' data/sales.csv | sort |
while read -r p share; do
  bar=$(printf '%*s' "${share%.*}" '' | tr ' ' '#')
  printf '%-4s %5s%% %s\n' "$p" "$share" "$bar"
done
