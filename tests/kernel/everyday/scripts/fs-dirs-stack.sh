# Folders with pushd and popd.
pushd src > /dev/null; pushd lib > /dev/null
basename "$PWD"
popd > /dev/null; basename "$PWD"
popd > /dev/null
cd src/api && cd - > /dev/null && [ -f package.json ] && echo "back at the root"
dirname src/api/users.js; basename src/api/users.js .js
(cd docs && realpath ../src/./api/../index.js) | sed 's#.*/src#src#'
