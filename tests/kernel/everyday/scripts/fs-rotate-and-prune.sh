# Keeps the newest three of a set of dated files and compresses what is old.
mkdir bk; for i in 1 2 3 4 5 6; do f=bk/db-2024-0$i-01.sql; seq $((i * 100)) > $f; touch -d "2024-0$i-01" $f; done
ls -t bk/*.sql | tail -n +4 | while read -r f; do gzip -9 "$f"; done; ls bk
ls -1t bk/*.gz | tail -n +3 | xargs -r rm -v
for f in bk/*.gz; do printf '%s %s\n' "$(zcat "$f" | wc -l)" "$f"; done; zgrep -c '^1' bk/*.gz
find bk -name '*.sql' -newermt 2024-05-15 -printf '%f %TF\n'
find bk -type f ! -newermt '2024-04-02' -delete -printf 'deleted %f\n' | sort; ls bk
gzip -k bk/db-2024-06-01.sql && gunzip -t bk/db-2024-06-01.sql.gz && echo fine
