# Rename a function in the whole source tree.
set -euo pipefail
grep -rl 'getUsers' src tests | sort > files.txt
xargs sed -i 's/\bgetUsers\b/listUsers/g' < files.txt
cat files.txt
grep -rn listUsers src tests | sort
