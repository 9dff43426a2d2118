# Release notes of pull requests.
{
  echo "## Changes"
  jq -r 'sort_by(.created_at) | reverse[] | "- \(.title) (#\(.number)) by @\(.user.login), +\(.additions)/-\(.deletions)"' data/pulls.json
} > NOTES.md
cat NOTES.md
