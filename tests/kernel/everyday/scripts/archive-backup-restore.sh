# Back up, damage, restore.
backup() { tar -czf "/tmp/$1.tgz" "$1"; }
restore() { rm -rf "$1"; tar -xzf "/tmp/$1.tgz"; }
backup config
echo damaged > config/app.ini
rm config/default.json
restore config
wc -l config/app.ini
ls config | wc -l
