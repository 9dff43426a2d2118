# Seconds as hours, and back.
human() { local s=$1; printf '%dh %02dm %02ds\n' $((s / 3600)) $((s % 3600 / 60)) $((s % 60)); }
for s in 59 3600 86399; do human "$s"; done
to_s() { IFS=: read -r h m s <<< "$1"; echo $((10#$h * 3600 + 10#$m * 60 + 10#$s)); }
to_s 01:08:09
SECONDS=0; (( SECONDS < 5 )) && echo "quick"
