# Try a patch first.
if patch -p1 --dry-run < patches/port.patch > /dev/null; then echo "applies"; fi
sed -i 's/const PORT/let PORT/' src/index.js
patch -p1 --dry-run < patches/port.patch > /dev/null 2>&1; echo "exit $?"
[ -e src/index.js.rej ] && echo rejected
patch -p1 --forward -s < patches/port.patch > /dev/null || echo "failed with $?"
ls src/*.rej
