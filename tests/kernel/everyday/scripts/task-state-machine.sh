# A state machine over events.
state=idle
while read -r ev; do
  case $state:$ev in
    idle:start) state=running ;;
    running:pause) state=paused ;;
    paused:resume) state=running ;;
    running:stop | paused:stop) state=idle ;;
    *) echo "ignored $ev in $state"; continue ;;
  esac
  echo "$ev -> $state"
done < <(printf '%s\n' start resume pause stop resume start)
