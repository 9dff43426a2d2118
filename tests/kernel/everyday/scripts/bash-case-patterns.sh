# Sort files by kind with case.
for f in README.md config/app.ini data/users.json logs/app.log src/tools/report.py package.json .env; do
  case ${f##*/} in
    *.md) kind=text ;;
    *.json | *.ini | .env*) kind=config ;;
    *.[jp][sy]) kind=code ;;
    *) kind=other ;;
  esac
  echo "$kind ${f##*/}"
done | sort
