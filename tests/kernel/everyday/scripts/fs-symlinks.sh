# Links: make, read, change, find broken ones.
ln -s src/lib current
readlink current
ls current | head -1
ln -sfn src/api current; readlink current
realpath --relative-to=. current
ln -s ../missing config/broken
find . -xtype l
find . -type l | sort | xargs -n1 readlink
[ -L current ] && rm current && ls src/api
