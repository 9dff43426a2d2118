# Text that is not ASCII.
cut -d'|' -f1 text/people.txt | awk '{ print length($0) }'
grep -c 'ö' text/people.txt
s='naïve café'; echo "${#s} ${s:3:2} ${s^^}"
sed 's/é/e/g; s/[öÖ]/o/g' text/people.txt | head -2
printf '%s' '北京' | wc -m
echo 'Ünïcödé' | iconv -f UTF-8 -t ASCII//TRANSLIT > /dev/null 2>&1; printf '\xe4\n' | iconv -f ISO-8859-1 -t UTF-8
