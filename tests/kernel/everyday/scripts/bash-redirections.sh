# Redirections of descriptors.
both() { echo out; echo err >&2; }
both > o.txt 2> e.txt; cat e.txt o.txt
both &> all.txt; wc -l < all.txt
both 2>&1 >/dev/null | sed 's/^/E:/'
exec 3> third.txt; echo hello >&3; exec 3>&-; cat third.txt
exec 4< text/words.txt; read -r first <&4; read -r second <&4; exec 4<&-; echo "$first $second"
{ both 3>&1 1>&2 2>&3 3>&-; } 2> swapped.txt; cat swapped.txt
