# Search over lines, and count matches.
rg -U -o --no-filename 'if \(total == 0\) \{\n[^}]*\}' src/api/orders.js
rg --count-matches 'const' src/index.js
rg -v -c 'const' src/index.js
