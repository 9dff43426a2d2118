# Validate all JSON files of the project.
echo '{ "broken": [1, 2 }' > config/broken.json
fail=0
for f in config/*.json; do
  if jq empty "$f" 2> /dev/null; then echo "ok   $f"; else echo "BAD  $f"; fail=1; fi
done
exit $fail
