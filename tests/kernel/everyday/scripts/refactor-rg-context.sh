# Search with context and without case.
rg -i -n -C1 'port' src/index.js
rg -w -c 'res' src/api --sort path
rg -F '$1' src --sort path -n
rg nothing-of-this src; echo "exit $?"
