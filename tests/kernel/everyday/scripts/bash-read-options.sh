# Options of read.
printf 'abc\0def\0' | while IFS= read -r -d '' item; do echo "item $item"; done
read -r -n 3 x <<< "abcdef"; echo "$x"
printf 'back\\slash  end  \n' | { IFS= read -r l; echo "[$l]"; }
echo "one two three" | { read -r a rest; echo "$rest / $a"; }
read -r -t 1 nothing < /dev/null; echo "eof $?"
