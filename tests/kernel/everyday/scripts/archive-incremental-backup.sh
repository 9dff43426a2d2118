# A full archive, then one with what changed, restored in order and compared.
mkdir -p /tmp/b; touch -d '2024-01-01' src/*.js src/*/*.js
tar -czf /tmp/b/full.tgz src config
touch -d '2024-05-01' /tmp/b/stamp
echo '// changed' >> src/index.js; echo new > src/new.js; touch -d '2024-06-01' src/index.js src/new.js
find src -type f -name '*.js' -newer /tmp/b/stamp -print0 | sort -z | tar -czf /tmp/b/inc.tgz --null -T -
tar -tzf /tmp/b/inc.tgz | sort
mkdir /tmp/r; tar -xzf /tmp/b/full.tgz -C /tmp/r; tar -xzf /tmp/b/inc.tgz -C /tmp/r
diff -r src /tmp/r/src && echo identical
(cd /tmp/r && find . -type f | sort | xargs -d '\n' sha256sum) | sed 's/^\(.\{8\}\)[^ ]*/\1/'
tar -xzOf /tmp/b/full.tgz config/app.ini | head -2
