# Remove what is built.
mkdir -p dist/a build tmp; touch dist/a/x.o build/y.o src/z.tmp src/lib/.DS_Store
find . \( -name '*.tmp' -o -name .DS_Store \) -type f -print -delete | sort
rm -rf dist build
find . -type d -empty | sort
find . -type d -empty -delete
[ -d tmp ] || echo "tmp is gone"
