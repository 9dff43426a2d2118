# Insert and delete lines by sed.
f=src/index.js
sed -i '/^const logger/a const metrics = require("./lib/metrics");' "$f"
sed -i '/TODO: graceful/d' "$f"
sed -i '1i "use strict";' "$f"
sed -n '1,6p;$p' "$f"
