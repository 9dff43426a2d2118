# Summarise the errors of a compiler.
sed -nE 's/^([^(]+)\(([0-9]+),([0-9]+)\): (error|warning) (TS[0-9]+): (.*)$/\4 \1:\2:\3 \5 \6/p' logs/build.log | sort
n=$(grep -c ': error ' logs/build.log || true)
echo "$n errors"
(( n == 0 )) || exit 1
