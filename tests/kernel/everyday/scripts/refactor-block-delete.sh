# Delete a block between two patterns.
sed -i '/async function createUser/,/^}/d' src/api/users.js
sed -i 's/, createUser }/ }/' src/api/users.js
tail -4 src/api/users.js
grep -c '' src/api/users.js
