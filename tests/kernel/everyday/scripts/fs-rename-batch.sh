# Rename many files.
mkdir p; cd p
touch "IMG 1.JPG" "IMG 2.JPG" "IMG 10.jpg"
for f in *; do
  new=$(echo "${f,,}" | tr ' ' '_')
  n=$(grep -o '[0-9]\+' <<< "$new")
  mv -v "$f" "$(printf 'img_%03d.%s' "$n" "${new##*.}")"
done
ls
