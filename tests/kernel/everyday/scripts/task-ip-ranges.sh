# Addresses as numbers, and whether one is in a network.
ip2int() { local IFS=. a; a=($1); echo $(( (a[0] << 24) + (a[1] << 16) + (a[2] << 8) + a[3] )); }
int2ip() { echo "$(( $1 >> 24 & 255 )).$(( $1 >> 16 & 255 )).$(( $1 >> 8 & 255 )).$(( $1 & 255 ))"; }
ip2int 10.0.0.4
int2ip $(( $(ip2int 10.0.0.255) + 1 ))
in_net() { local mask=$(( 0xFFFFFFFF << (32 - ${2#*/}) & 0xFFFFFFFF )); (( ($(ip2int "$1") & mask) == ($(ip2int "${2%/*}") & mask) )); }
cut -d' ' -f1 logs/access.log | sort -u | while read -r ip; do in_net "$ip" 10.0.0.0/30 && echo "$ip inside" || echo "$ip outside"; done
