# Sort the requires at the beginning of a file.
f=src/index.js
{ grep -E '^const .*require\(' "$f" | sort; grep -vE '^const .*require\(' "$f"; } > tmp.js
mv tmp.js "$f"
head -5 "$f"
