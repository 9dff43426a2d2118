# What is new, what is gone.
sort -u text/words.txt > old.list
printf '%s\n' apple kiwi fig lemon | sort > new.list
echo "gone: $(comm -23 old.list new.list | paste -sd,)"
echo "new: $(comm -13 old.list new.list | paste -sd,)"
echo "both: $(comm -12 old.list new.list | paste -sd,)"
