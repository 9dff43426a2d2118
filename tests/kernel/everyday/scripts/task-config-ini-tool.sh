# Gets, sets, deletes and lists values of an INI file, keeping comments.
ini() {
  local file=$1 op=$2 section=$3 key=${4-} value=${5-}
  case $op in
    get) awk -F' *= *' -v s="$section" -v k="$key" '/^\[/ { cur = substr($0, 2, length($0) - 2) } cur == s && $1 == k { print $2; found = 1; exit } END { exit !found }' "$file" ;;
    set) awk -v s="$section" -v k="$key" -v v="$value" '
        function put() { if (cur == s && !done) { print k " = " v; done = 1 } }
        /^\[/ { put(); cur = substr($0, 2, length($0) - 2) }
        cur == s && $0 ~ "^" k "[ =]" { $0 = k " = " v; done = 1 }
        { print } END { put(); if (!done) print "[" s "]\n" k " = " v }' "$file" > "$file.tmp" && mv "$file.tmp" "$file" ;;
    del) sed -i "/^\[$section\]/,/^\[/{/^$key[ =]/d}" "$file" ;;
    list) sed -n "/^\[$section\]/,/^\[/{/^[a-z]/p}" "$file" ;;
  esac
}
f=config/app.ini; cp $f before.ini
ini $f get server port; ini $f get server nothing; echo "status $?"
ini $f set server port 9090; ini $f set server workers 4; ini $f set extra on yes
ini $f del server host; ini $f list server
diff before.ini $f
