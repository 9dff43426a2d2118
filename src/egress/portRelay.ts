/**
 * Builds the programs that forward a TCP port in a sandbox to a proxy's Unix socket, for clients that know only ports.
 *
 * They run inside the sandbox as the command's own user: a command that stops or replaces its relay still has only the
 * socket.
 */

/**
 * Perl: listens on `$port` before it returns, then relays in a process that is not a child of its caller and holds none
 * of its pipes. One process handles all connections; a direction is read again once its last bytes have been written,
 * and each direction ends separately.
 *
 * Uses no module of Perl: loading Socket.pm takes longer than all of this. The numbers are those of Linux on x86-64 and arm64:
 * AF_INET 2, AF_UNIX 1, SOCK_STREAM 1, SO_REUSEADDR (1, 2), F_SETFL 4, O_NONBLOCK 2048, EAGAIN 11.
 */
export const perlPortRelay: string = String.raw`sub relay{my($port,$path)=@_;my $l;
socket($l,2,1,0)&&setsockopt($l,1,2,pack("i",1))&&bind($l,pack("Sna4x8",2,$port,"\x7f\0\0\1"))&&listen($l,256)
or do{print STDERR "sluice: network: $!\n";exit 125};
my $pid=fork;if(!defined $pid){print STDERR "sluice: fork: $!\n";exit 125}
if($pid){waitpid $pid,0;close $l;return}
exit 0 if fork;
open STDIN,"<","/dev/null";open STDOUT,">","/dev/null";open STDERR,">","/dev/null";
$SIG{$_}="IGNORE" for qw(PIPE HUP INT QUIT TERM);
my(%h,%peer,%out,%end);
my $drop=sub{my $a=shift;my $b=$peer{$a};for($a,$b){close $h{$_};delete $h{$_};delete $peer{$_};delete $out{$_};delete $end{$_}}};
for(;;){my($r,$w)=("","");
vec($r,fileno $l,1)=1 if keys(%h)<900;
for(keys %h){vec($r,$_,1)=1 if !$end{$_}&&$out{$peer{$_}}eq"";vec($w,$_,1)=1 if $out{$_}ne""}
select($r,$w,undef,undef)>0 or next;
for my $f(keys %h){next if !$h{$f};my $p=$peer{$f};
if(vec($w,$f,1)){my $n=syswrite $h{$f},$out{$f};
if(defined $n){substr($out{$f},0,$n)=""}elsif($!+0!=11){$drop->($f);next}}
if(vec($r,$f,1)){my $n=sysread $h{$f},$out{$p},65536;
if(!defined $n){$drop->($f) if $!+0!=11}
elsif(!$n){$end{$f}=1;shutdown $h{$p},1;if($end{$p}&&$out{$f}eq""){$drop->($f)}}}
elsif($end{$f}&&$end{$p}&&$out{$f}eq""&&$out{$p}eq""){$drop->($f)}}
my($c,$s);if(vec($r,fileno $l,1)&&accept($c,$l)){
if(socket($s,1,1,0)&&connect($s,pack("Sa108",1,$path))){
my($a,$b)=(fileno $c,fileno $s);($h{$a},$h{$b},$peer{$a},$peer{$b})=($c,$s,$b,$a);$out{$a}=$out{$b}="";
fcntl $_,4,2048 for $c,$s}}}}
`

/** The shell: starts socat(1), and continues when it listens. */
export const shellPortRelay: string = String.raw`relay() {
  socat "TCP-LISTEN:$1,bind=127.0.0.1,reuseaddr,backlog=256,fork" "UNIX-CONNECT:$2" </dev/null >/dev/null 2>&1 &
  relay_at=$(printf '0100007F:%04X' "$1") relay_turns=0
  while [ "$relay_turns" -lt 2000 ]; do
    while read -r _ local _ state _; do
      [ "$local $state" = "$relay_at 0A" ] && return
    done </proc/net/tcp
    relay_turns=$((relay_turns + 1))
    sleep 0.005
  done
  echo 'sluice: network: socat does not listen' >&2
  exit 125
}
`
