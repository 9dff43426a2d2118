# Search in compressed logs.
gzip -c logs/access.log > /tmp/access.log.1.gz
zcat /tmp/access.log.1.gz | grep -c ' 404 '
gzip -dc /tmp/access.log.1.gz | awk '$9 >= 500 { print $7 }'
