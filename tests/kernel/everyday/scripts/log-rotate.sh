# Rotate a log, keeping three.
set -e
cd logs
for n in 1 2 3 4; do
  for i in 3 2 1; do [ -f "app.log.$i" ] && mv "app.log.$i" "app.log.$((i + 1))"; done
  mv app.log app.log.1
  echo "new log $n" > app.log
  rm -f app.log.4
done
ls app.log*
cat app.log.3
