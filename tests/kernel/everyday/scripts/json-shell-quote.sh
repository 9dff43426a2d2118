# Make shell commands of JSON, safely.
jq -r '.[] | @sh "echo user \(.id) \(.name)"' data/users.json > cmds.sh
cat cmds.sh
bash cmds.sh
