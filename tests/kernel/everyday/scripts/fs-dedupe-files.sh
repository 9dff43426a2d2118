# Files with the same content.
cp src/lib/db.js docs/copy.js; cp text/poem.txt docs/p2.txt
find . -type f -not -path './node_modules/*' -exec md5sum {} + | sort | awk '{ n[$1]++; f[$1] = f[$1] " " $2 } END { for (h in n) if (n[h] > 1) print n[h] f[h] }' | sort
