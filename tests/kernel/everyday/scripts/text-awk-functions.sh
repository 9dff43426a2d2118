# Functions of awk.
awk 'function rev(s,  i, r) { for (i = length(s); i; i--) r = r substr(s, i, 1); return r }
BEGIN {
  print rev("awk"), toupper("x"), index("hello", "l"), substr("hello", 2, 3)
  n = split("a:b:c", p, ":"); print n, p[3]
  s = "foo bar foo"; print gsub(/foo/, "[&]", s), s
  print match("abc123", /[0-9]+/), RSTART, RLENGTH
  print sprintf("%05d|%-5s|%c", 42, "ab", 65), int(3.9), 2 ^ 10, 7 % 3
  print gensub(/(.)(.)/, "\\2\\1", "g", "abcd"), strftime("%Y", 0, 1), length("äö")
}'
