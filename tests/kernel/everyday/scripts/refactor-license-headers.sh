# Adds, updates and verifies headers in files of several kinds.
year=2026
comment() { case $1 in *.js) echo "// $2" ;; *.py | *.sh | *.yaml) echo "# $2" ;; *.ini) echo "; $2" ;; *) return 1 ;; esac; }
printf '#!/bin/sh\necho hi\n' > run.sh
printf '// Copyright 2019 Shop\nold();\n' > src/old.js
find . -path ./node_modules -prune -o -type f \( -name '*.js' -o -name '*.py' -o -name '*.sh' -o -name '*.ini' \) -print0 | sort -z |
while IFS= read -r -d '' f; do
  h=$(comment "$f" "Copyright $year Shop") || continue
  if head -2 "$f" | grep -q Copyright; then sed -i "1,2s/Copyright [0-9]*/Copyright $year/" "$f"; echo "updated $f"
  elif [[ $(head -c2 "$f") == '#!' ]]; then sed -i "1a\\$h" "$f"; echo "after shebang $f"
  else printf '%s\n%s\n' "$h" "$(cat "$f")" > "$f.new" && mv "$f.new" "$f"; echo "added $f"; fi
done
grep -rL "Copyright $year" src run.sh config/*.ini || echo "all have it"
head -3 run.sh; head -1 src/old.js
