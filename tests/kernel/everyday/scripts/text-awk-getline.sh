# Commands and files in awk.
awk 'BEGIN {
  while (("sort -u text/words.txt" | getline w) > 0) n++
  print n
  "echo from shell" | getline line; print line
  while ((getline d < "data/departments.csv") > 0) last = d
  print last
  print "b\na" | "sort"; close("sort")
  if ((getline x < "missing") < 0) print "no file"
  print ENVIRON["HOME"], ARGC
}'
