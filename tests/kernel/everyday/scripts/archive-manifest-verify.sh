# A release with a manifest of checksums, verified after tampering.
mkdir rel; cp -r src config rel/
(cd rel && find . -type f ! -name MANIFEST -print0 | sort -z | xargs -0 sha256sum > MANIFEST)
wc -l < rel/MANIFEST
(cd rel && sha256sum -c --quiet MANIFEST && echo intact)
echo tampered >> rel/config/app.ini; rm rel/src/index.js
(cd rel && sha256sum -c MANIFEST 2>/dev/null | grep -v OK); (cd rel && sha256sum --status -c MANIFEST 2>/dev/null; echo "status $?")
md5sum rel/config/nginx.conf | cut -d' ' -f1 | tr a-f A-F
find rel -type f -exec md5sum {} + | sort | awk '{print substr($1,1,6), $2}' | head -2
cksum config/app.ini; sum config/app.ini | cut -d' ' -f1
