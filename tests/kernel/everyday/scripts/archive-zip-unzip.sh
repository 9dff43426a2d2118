# A zip archive and back.
zip -qr /tmp/docs.zip docs README.md
mkdir out
unzip -q /tmp/docs.zip -d out
find out -type f | sort
diff -r docs out/docs && echo same
unzip -p /tmp/docs.zip docs/api.md | head -1
