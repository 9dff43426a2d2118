# Which variables of the example are missing?
missing=()
while IFS= read -r key; do
  grep -q "^$key=" .env || missing+=("$key")
done < <(sed -n 's/^\([A-Z_]*\)=.*/\1/p' .env.example)
if ((${#missing[@]})); then echo "missing: ${missing[*]}" >&2; exit 2; fi
echo complete
