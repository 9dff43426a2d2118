# Rename .js files to .mjs.
find src -type f -name '*.js' -print0 | while IFS= read -r -d '' f; do mv -- "$f" "${f%.js}.mjs"; done
find src -type f | sort
