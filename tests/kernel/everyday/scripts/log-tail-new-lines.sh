# Reads only what is new in a log since the last run, by a saved offset.
state=/tmp/offset
scan() {
  local from=0 size
  [[ -f $state ]] && from=$(<$state)
  size=$(stat -c %s app.log)
  ((size < from)) && { echo "rotated"; from=0; }
  tail -c +$((from + 1)) app.log | grep -n ERROR
  echo "$size" > $state
}
head -3 logs/app.log > app.log; scan
sed -n '4,8p' logs/app.log >> app.log; scan
scan
tail -3 logs/app.log > app.log; scan
cat $state
