# Load a .env file.
set -a
source .env
set +a
echo "$DB_HOST:$DB_PORT $DEBUG"
bash -c 'echo "child: $API_KEY / $DB_PASSWORD"'
