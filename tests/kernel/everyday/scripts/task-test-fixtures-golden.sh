# Compares the output of commands with golden files and updates them when asked.
mkdir golden; printf '5\n' > golden/count; printf 'apple\nbanana\n' > golden/sorted
declare -A cmds=([count]='wc -l < text/words.txt | tr -d " "' [sorted]='sort -u text/words.txt | head -2' [fresh]='head -1 text/poem.txt')
status=0
check() {
  local name
  for name in $(printf '%s\n' "${!cmds[@]}" | sort); do
    local actual; actual=$(eval "${cmds[$name]}")
    if [[ ! -f golden/$name ]]; then echo "NEW $name"; echo "$actual" > "golden/$name"
    elif diff -u "golden/$name" - --label golden --label actual <<< "$actual"; then echo "PASS $name"
    elif [[ ${UPDATE-} ]]; then echo "UPDATED $name"; echo "$actual" > "golden/$name"
    else echo "FAIL $name"; status=1; fi
  done
}
check; echo "status $status"; status=0; UPDATE=1 check; check; echo "status $status"
