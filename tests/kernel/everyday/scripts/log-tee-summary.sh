# Keep a full log and print a summary.
{
  echo "start"
  for f in src/lib/*.js; do echo "check $f"; done
  echo "warning: something" >&2
  echo "end"
} 2>&1 | tee full.log | grep -v '^check'
wc -l full.log
echo "status ${PIPESTATUS[*]}"
