# Old-style expressions.
expr 3 + 4 \* 2
expr length "hello"
expr "file-12.txt" : '.*-\([0-9]*\)'
expr substr abcdef 2 3
[ 3 -lt 10 -a "a" != "b" ] && echo both
test -z "" && echo empty
[ "10" \< "9" ] && echo "text order"
