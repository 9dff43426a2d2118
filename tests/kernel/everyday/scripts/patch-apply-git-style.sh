# Apply a patch as git makes it.
patch -p1 < patches/port.patch
grep -n PORT src/index.js
patch -p1 -R < patches/port.patch && grep -n 'PORT =' src/index.js
