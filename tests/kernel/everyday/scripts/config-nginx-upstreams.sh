# The servers of an upstream that are on.
awk '/upstream/ { on = 1; next } on && /}/ { on = 0 } on && $1 == "server" { gsub(/;/, ""); print $2, ($3 ? $3 : "weight=1") }' config/nginx.conf
sed -i '/10\.0\.0\.3/ s/# //' config/nginx.conf
grep -c '^ *server 10' config/nginx.conf
