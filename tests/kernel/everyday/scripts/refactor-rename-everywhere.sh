# Renames a symbol in three spellings, in contents and in names of files.
rename() {
  local from=$1 to=$2
  grep -rl --exclude-dir=node_modules "$from" . | sort | while read -r f; do
    n=$(grep -o "$from" "$f" | wc -l)
    sed -i "s/\b$from\b/$to/g" "$f"
    printf '%-28s %d\n' "$f" "$n"
  done
}
rename createUser addUser
rename create_user add_user
find . -path ./node_modules -prune -o -name '*user*' -print | sort | while read -r p; do
  new=$(dirname "$p")/$(basename "$p" | sed 's/user/member/')
  mv -v "$p" "$new"
done
sed -i 's,api/users,api/members,g' src/index.js tests/*.js
node_check() { for f in "$@"; do grep -o 'require("\.[^"]*")' "$f" | sed 's/require("\(.*\)")/\1/' | while read -r r; do d=$(dirname "$f")/$r; [[ -e $d.js || -e $d ]] || echo "$f: $r is missing"; done; done; }
node_check src/*.js src/*/*.js tests/*.js
