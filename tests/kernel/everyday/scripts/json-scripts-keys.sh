# Does package.json have these scripts?
for name in start test build lint; do
  if jq -e --arg n "$name" '.scripts | has($n)' package.json > /dev/null; then
    echo "ok      $name"
  else
    echo "missing $name"
  fi
done
