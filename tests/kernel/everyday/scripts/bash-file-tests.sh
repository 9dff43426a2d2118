# Tests of files.
touch empty; ln -s README.md link; ln -s nowhere broken; mkdir d; chmod +x empty
for f in README.md empty link broken d missing; do
  r=
  [ -e "$f" ] && r+=e; [ -f "$f" ] && r+=f; [ -d "$f" ] && r+=d; [ -L "$f" ] && r+=L; [ -s "$f" ] && r+=s; [ -x "$f" ] && r+=x
  echo "$f: ${r:-none}"
done
[ README.md -ef link ] && echo "same file"
