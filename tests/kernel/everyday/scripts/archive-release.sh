# Make a release with checksums.
set -euo pipefail
name=shop
version=$(sed -nE 's/.*"version": "([^"]+)".*/\1/p' package.json)
dist=dist/$name-$version
mkdir -p "$dist"
cp -r src README.md package.json "$dist"
tar -C dist -czf "dist/$name-$version.tar.gz" "$name-$version"
(cd "$dist" && find . -type f -print0 | sort -z | xargs -0 sha256sum) > dist/SHA256SUMS
wc -l < dist/SHA256SUMS
(cd "$dist" && sha256sum -c --quiet ../SHA256SUMS) && echo verified
