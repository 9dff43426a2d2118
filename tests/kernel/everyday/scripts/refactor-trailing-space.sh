# Remove trailing white space and end each file by a newline.
printf 'a  \nb\t\n\nlast' > messy.txt
sed -i 's/[[:space:]]*$//' messy.txt
[ -n "$(tail -c1 messy.txt)" ] && echo >> messy.txt
cat -A messy.txt
