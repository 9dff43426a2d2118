# A zip that is listed, updated, tested and unpacked in parts.
zip -qr app.zip src config -x '*.py'
unzip -Z1 app.zip | sort | head -4
unzip -p app.zip config/app.ini | head -1
echo '// more' >> src/index.js; zip -q app.zip src/index.js
unzip -tq app.zip
mkdir out; unzip -q app.zip 'src/lib/*' -d out; find out -type f | sort
zip -qd app.zip 'config/*'; unzip -Z1 app.zip | grep -c config
unzip -o -j -q app.zip src/index.js -d out && tail -1 out/index.js
