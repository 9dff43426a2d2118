# Trim, repeat, reverse, pad.
trim() { local s="$*"; s="${s#"${s%%[![:space:]]*}"}"; printf '%s' "${s%"${s##*[![:space:]]}"}"; }
echo "[$(trim '   two words  ')]"
printf -v line '%*s' 10 ''; echo "${line// /=}"
rev <<< "desserts"
printf '%-8s|%8s|%08.3f|%x|%o|%e\n' left right 3.14159 255 8 12345.678
