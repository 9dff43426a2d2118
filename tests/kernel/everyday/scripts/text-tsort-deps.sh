# An order of dependencies.
printf '%s\n' 'app db' 'app log' 'db log' 'log conf' | tsort | tac
for m in index api/users api/orders; do
  sed -nE "s#.*require\\(\"(\\.[^\"]+)\"\\).*#$(basename $m) \\1#p" "src/$m.js"
done | sort -u | head -4
