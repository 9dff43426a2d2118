# Times of files.
touch -d '2024-01-01 00:00:00 UTC' old; touch -d '2024-06-01 12:00 UTC' new
[ new -nt old ] && echo newer
stat -c '%Y %n' old new
date -u -r old +%F
find . -maxdepth 1 -newer old -name new
ls -t old new | head -1
touch -r old new; [ old -nt new ] || [ old -ot new ] || echo equal
find . -maxdepth 1 -name old -not -newermt 2024-02-01
