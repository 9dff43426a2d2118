# Sizes by find.
find src -type f -printf '%s %P\n' | sort -n | tail -3
find config -type f -printf '%f\t%h\n' | sort
find . -maxdepth 2 -type d -not -path '*/node_modules*' | sort
