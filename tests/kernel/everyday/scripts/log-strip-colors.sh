# Remove colours from a log.
printf '\033[31mred\033[0m plain \033[1;32mbold green\033[0m\n' > c.log
sed 's/\x1b\[[0-9;]*m//g' c.log
cat -v c.log
