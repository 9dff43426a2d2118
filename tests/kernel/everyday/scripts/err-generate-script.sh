# Generate a script from data and run it.
{
  echo '#!/bin/bash'
  tail -n +2 data/products.tsv | while IFS=$'\t' read -r sku name _ price; do
    printf 'echo %q\n' "$sku: $name at $price"
  done
} > gen.sh
bash -n gen.sh && bash gen.sh
echo 'if [ 1 ; then' > bad.sh
bash -n bad.sh 2> /dev/null; echo "syntax check: $?"
