# Distinct user agents, most used first.
cut -d'"' -f6 logs/access.log | sed 's,/.*,,' | sort | uniq -c | sort -k1,1rn -k2
