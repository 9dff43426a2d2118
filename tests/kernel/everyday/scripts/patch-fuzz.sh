# A patch whose lines have moved.
{ printf '// one\n// two\n'; cat src/index.js; } > moved.js && mv moved.js src/index.js
patch -p1 < patches/port.patch
sed -n '9p' src/index.js
