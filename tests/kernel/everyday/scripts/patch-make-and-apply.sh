# Change a copy, make a patch, apply it.
set -e
cp -r src src.new
sed -i 's/8080/9090/' src.new/index.js
diff -u src/index.js src.new/index.js | sed '1,2s/\t.*//' > change.diff || true
cat change.diff
patch -p0 src/index.js < change.diff
cmp src/index.js src.new/index.js && echo identical
rm -r src.new
