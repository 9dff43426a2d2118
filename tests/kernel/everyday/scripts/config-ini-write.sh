# Change values in a section of an INI file.
sed -i '/^\[database\]/,/^\[/ s/^port *=.*/port = 6543/' config/app.ini
sed -i '/^\[cache\]/a max = 50' config/app.ini
diff <(grep -A4 database config/app.ini) - <<'END'
[database]
host = db.internal
port = 6543
name = shop
# the pool
END
tail -4 config/app.ini
