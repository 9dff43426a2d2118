# A report of all TODOs.
grep -rnE 'TODO|FIXME' --include='*.js' --include='*.py' src | sort | awk -F: '
{
  file = $1; line = $2
  sub(/^[^:]*:[^:]*:[ \t]*/, ""); sub(/^(\/\/|#) */, "")
  printf "%-22s %3d  %s\n", file, line, $0
}'
