# Pack a folder, list it, and unpack it elsewhere.
set -e
tmp=$(mktemp -d)
tar -czf "$tmp/src.tar.gz" src
tar -tzf "$tmp/src.tar.gz" | sort
mkdir "$tmp/out"
tar -xzf "$tmp/src.tar.gz" -C "$tmp/out"
diff -r src "$tmp/out/src" && echo identical
rm -rf "$tmp"
