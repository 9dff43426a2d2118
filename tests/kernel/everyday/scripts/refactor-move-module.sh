# Move a folder and mend the paths.
git_mv() { mkdir -p "$(dirname "$2")" && mv "$1" "$2"; }
git_mv src/lib src/shared/lib
grep -rl '\.\./lib/' src | xargs sed -i 's#"\.\./lib/#"../shared/lib/#g'
sed -i 's#"\./lib/#"./shared/lib/#' src/index.js
grep -rhn 'shared' src | sort
