# What is in these files?
printf '#!/bin/sh\necho\n' > s.sh
printf '\x89PNG\r\n\x1a\n' > i.png
: > none
file -b README.md s.sh none data/users.json
file --mime-type -b README.md data/users.json
