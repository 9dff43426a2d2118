# Which exported names are used nowhere else?
sed -nE 's/^module\.exports = \{ (.*) \};$/\1/p' src/api/*.js | tr -d ' ' | tr ',' '\n' | sort -u | while read -r name; do
  uses=$(grep -rlw "$name" src tests | wc -l)
  echo "$name is in $uses files"
done
