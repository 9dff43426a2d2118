# Globs with options.
shopt -s nullglob globstar extglob dotglob
files=(src/**/*.js); echo "${#files[@]} ${files[0]}"
none=(*.nothing); echo "${#none[@]}"
echo config/*.{ini,yaml}
echo .e*
shopt -u nullglob; echo *.nothing
echo {a,b}{1..3} {01..03} {a..e..2}
