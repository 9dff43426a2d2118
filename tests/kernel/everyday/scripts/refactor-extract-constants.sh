# Finds numbers in the sources and moves them into a file of constants.
grep -rnoE --include='*.js' '\b[0-9]{3,}\b' src | sort | tee numbers.txt
i=0
: > src/constants.js
while IFS=: read -r file line number; do
  name="LIMIT_$((++i))"
  echo "exports.$name = $number;" >> src/constants.js
  sed -i "${line}s/\b$number\b/constants.$name/" "$file"
done < numbers.txt
cut -d: -f1 numbers.txt | sort -u | while read -r f; do
  grep -q 'constants"' "$f" || sed -i '1i const constants = require("./constants");' "$f"
done
cat src/constants.js
grep -rn 'constants' src --include='*.js' | grep -v '^src/constants' | sort
