# Ranges and state in awk.
awk '/## Usage/, /## License/' README.md | head -3
awk '/^## / { name = substr($0, 4); next } name { n[name]++ } END { for (k in n) print k, n[k] }' README.md | sort
awk 'length > 40 { print FILENAME ":" FNR }' README.md docs/*.md
