# The tree of the sources.
tree src
tree -d --noreport .
tree -L 1 -F config
tree -I 'node_modules|data' -P '*.md' --prune --noreport .
