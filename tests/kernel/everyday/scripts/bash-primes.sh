# Primes below 200 by a sieve.
n=200
for ((i = 2; i <= n; i++)); do sieve[i]=1; done
for ((i = 2; i * i <= n; i++)); do
  ((sieve[i])) && for ((j = i * i; j <= n; j += i)); do sieve[j]=0; done
done
for i in "${!sieve[@]}"; do ((sieve[i])) && printf '%d ' "$i"; done | fold -s -w 60
echo
