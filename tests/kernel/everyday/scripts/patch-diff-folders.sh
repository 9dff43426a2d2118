# Compare two folders.
cp -r config config.new
echo 'x = 1' >> config.new/app.ini
rm config.new/nginx.conf
echo new > config.new/extra.txt
diff -rq config config.new; echo "exit $?"
diff -r --brief -x '*.txt' config config.new | wc -l
diff -rN config config.new | grep -c '^[<>]'
