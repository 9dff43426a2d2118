# Unpack without the first folder, and only some files.
tar -C . -cf /tmp/a.tar src docs
mkdir x y
tar -xf /tmp/a.tar --strip-components=1 -C x
tar -xf /tmp/a.tar -C y src/lib/db.js
find x y -type f | sort
