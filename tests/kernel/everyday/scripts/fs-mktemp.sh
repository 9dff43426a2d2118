# Temporary files and folders.
t=$(mktemp); d=$(mktemp -d); n=$(mktemp -p . tmp.XXXXXX.txt 2> /dev/null || mktemp ./tmp.XXXXXX)
[ -f "$t" ] && [ -d "$d" ] && [ -f "$n" ] && echo "all there"
[[ ${n##*/} =~ ^tmp\.[A-Za-z0-9]{6}(\.txt)?$ ]] && echo "right name"
stat -c %a "$t" "$d"
rm -r "$t" "$d" "$n"
