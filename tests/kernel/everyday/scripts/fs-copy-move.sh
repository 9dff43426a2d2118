# Copies and moves.
cp -r config backup; cp -a docs/. backup/
mv backup/app.ini backup/app.old
cp -n README.md backup/api.md; head -1 backup/api.md
mkdir -p a/b/c && touch a/b/c/f && mv a/b z && rmdir a
cp --parents src/lib/db.js z
mv -t z package.json README.md
find z backup -type f | sort
