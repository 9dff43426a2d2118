# What differs between two JSON files, as paths with both values.
jq -n --slurpfile a config/default.json --slurpfile b config/production.json -r '
  [$a[0] | paths(scalars)] as $pa | [$b[0] | paths(scalars)] as $pb
  | ($pa + $pb | unique)[] as $p
  | ($a[0] | getpath($p)) as $x | ($b[0] | getpath($p)) as $y
  | select($x != $y) | "\($p | map(tostring) | join("/")): \($x | tojson) | \($y | tojson)"'
diff -u <(jq -S . config/default.json) <(jq -S . config/production.json) | tail -n +3
jq -S --tab . config/production.json | head -3 | cat -A
jq -c --stream 'select(length == 2)' config/production.json | head -3
