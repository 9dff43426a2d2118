/**
 * Attempts to get out of an isolated command: each is a script that prints ESCAPED if it succeeds.
 *
 * Variables: `IN`, the writable folder, with `app/file` protected; `SEEN`, a readable folder with `file`; `OUT`, a folder that is
 * neither, with `file` and `secret`; `VICTIM`, a process of the same user outside, with `MARK` in its environment; `SOCKET`, a Unix
 * socket in `OUT`; `ABSTRACT`, the name of an abstract one; `PORT`, TCP and UDP, on 127.0.0.1; `NAMESPACES` of the host.
 * Descriptor 7 of the host is `OUT`, and its terminal accepts TIOCSTI.
 */

/** One attempt. */
export interface EscapeCase {
  readonly wall: string
  readonly name: string
  readonly script: string
  /** Who escapes without walls: any user, root, `"user"`: not root, for whom it is no escape; `"maybe"`: that depends on the machine. */
  readonly open: "any" | "root" | "user" | "maybe"
}

/** Perl with the numbers of system calls on x86-64 and arm64. */
const perl = (code: string): string =>
  `perl -e 'my $arm=\`uname -m\`=~/aarch64/;sub nr{$_[$arm?1:0]} ${code.replaceAll("'", `'"'"'`)}'`

const said = (what: string): string => `${what} && echo ESCAPED`

const child = (code: string): string =>
  `my $p=fork;if(!$p){sleep 3;exit}${code};print "ESCAPED\\n" if $ok;kill "KILL",$p;waitpid $p,0`

const connect = (address: string): string => perl(`socket(S,1,1,0)&&connect(S,${address})&&print "ESCAPED\\n"`)

const socketOf = (family: number, type: number, protocol: number): string =>
  perl(`print "ESCAPED\\n" if socket(S,${family},${type},${protocol})`)

const rows: ReadonlyArray<readonly [wall: string, open: EscapeCase["open"], name: string, script: string]> = [
  ["write", "any", "a readable file", said('echo x >> "$SEEN/file"')],
  ["write", "any", "a file outside", said('grep -qs original "$OUT/file" && echo x >> "$OUT/file"')],
  ["write", "any", "a protected file", said('echo x >> "$IN/app/file"')],
  ["write", "any", "the mode of a readable file", said('chmod 700 "$SEEN/file"')],
  ["write", "any", "the time of a readable file", said('touch "$SEEN/file"')],
  ["write", "any", "through a link", said('ln -sf "$SEEN/file" "$IN/l1" && echo x >> "$IN/l1"')],
  ["read", "any", "a file outside", said('grep -qs secret "$OUT/secret"')],
  ["read", "any", "through a link", said('ln -sf "$OUT/secret" "$IN/l2" && grep -qs secret "$IN/l2"')],
  ["read", "any", "a descriptor that the host left open", said("grep -qs secret /proc/self/fd/7/secret")],
  ["read", "root", "passwords", said("grep -qs : /etc/shadow")],
  [
    "rename",
    "any",
    "a readable file away",
    perl('print "ESCAPED\\n" if rename "$ENV{SEEN}/moved","$ENV{IN}/m1"'),
  ],
  [
    "rename",
    "any",
    "a file over a readable one",
    perl('open F,">","$ENV{IN}/m2";print "ESCAPED\\n" if rename "$ENV{IN}/m2","$ENV{SEEN}/target"'),
  ],
  ["rename", "any", "the writable folder", said('mv "$IN" "$IN.away" 2>&1 && mv "$IN.away" "$IN"')],
  ["hard link", "any", "to a readable file", said('ln "$SEEN/file" "$IN/h1" && echo x >> "$IN/h1"')],
  ["hard link", "any", "to a file outside", said('ln "$OUT/file" "$IN/h2" && echo x >> "$IN/h2"')],
  ["hard link", "any", "to a protected file", said('ln "$IN/app/file" "$IN/h3" && echo x >> "$IN/h3"')],
  [
    "symlink swap",
    "any",
    "the folder of a protected file",
    said(
      'mv "$IN/app" "$IN/a" && ln -s "$OUT" "$IN/app"; r=$?; rm -f "$IN/app"; mv "$IN/a" "$IN/app" 2>/dev/null; [ $r = 0 ]',
    ),
  ],
  ["processes", "any", "sees others", said('grep -qsz "^$MARK" /proc/[0-9]*/environ')],
  [
    "processes",
    "any",
    "/proc/PID/mem",
    `for p in /proc/[0-9]*; do grep -qsz "^$MARK" $p/environ && (exec 3<>$p/mem) && echo ESCAPED; done`,
  ],
  ["processes", "maybe", "/proc/1/mem", said("(exec 3<>/proc/1/mem)")],
  ["processes", "any", "kill", said('kill -0 "$VICTIM"')],
  ["processes", "any", "ptrace of its own", perl(child("$ok=syscall(nr(101,117),0x4206,$p,0,0)==0"))],
  [
    "processes",
    "any",
    "ptrace of another",
    perl('my $v=$ENV{VICTIM}+0;print "ESCAPED\\n" if syscall(nr(101,117),0x4206,$v,0,0)==0'),
  ],
  [
    "processes",
    "any",
    "process_vm_readv",
    perl(
      child(
        'my $b="\\0"x8;open M,"/proc/$p/maps";my($a)=<M>=~/^(\\w+)/;my $l=pack("PQ",$b,8);my $r=pack("QQ",hex $a,8);$ok=syscall(nr(310,270),$p,$l,1,$r,1,0)==8',
      ),
    ),
  ],
  ["processes", "any", "pidfd_getfd", perl(child("my $f=syscall(434,$p,0);$ok=syscall(438,$f,2,0)>=0"))],
  [
    "processes",
    "any",
    "namespaces of the host",
    `for n in $NAMESPACES; do [ "$(readlink /proc/self/ns/\${n%%:*})" = "$n" ] && echo ESCAPED; done`,
  ],
  ["sockets", "any", "abstract", connect('pack("Sxa*",1,$ENV{ABSTRACT})')],
  ["sockets", "any", "of a path outside (D-Bus)", connect('pack("Sa108",1,$ENV{SOCKET})')],
  ["sockets", "any", "address of the bus or an agent", said('[ -n "$DBUS_SESSION_BUS_ADDRESS$SSH_AUTH_SOCK" ]')],
  [
    "network",
    "any",
    "TCP of the host",
    perl('socket(S,2,1,0)&&connect(S,pack("Sna4x8",2,$ENV{PORT},"\\x7f\\0\\0\\1"))&&print "ESCAPED\\n"'),
  ],
  [
    "network",
    "any",
    "DNS, by UDP",
    perl(
      'socket S,2,2,0;send S,"ask",0,pack("Sna4x8",2,$ENV{PORT},"\\x7f\\0\\0\\1");my $r="";vec($r,fileno S,1)=1;print "ESCAPED\\n" if select($r,undef,undef,0.5)&&recv(S,$b,9,0)',
    ),
  ],
  ["network", "root", "raw socket", socketOf(2, 3, 1)],
  ["network", "root", "packet socket", socketOf(17, 3, 0)],
  ["network", "any", "netlink other than routes", socketOf(16, 3, 15)],
  ["network", "maybe", "vsock", socketOf(40, 1, 0)],
  ["mount", "any", "in a new user namespace", said('unshare -Urm mount -t tmpfs none "$IN" 2>/dev/null')],
  ["mount", "root", "bind", said('mount --bind "$SEEN" "$IN/app" 2>/dev/null && umount "$IN/app"')],
  ["mount", "any", "a user namespace", said("unshare -U true 2>/dev/null")],
  ["mount", "root", "a device", said('mknod "$IN/null" c 1 3')],
  ["mount", "root", "chroot", perl('print "ESCAPED\\n" if chroot $ENV{IN}')],
  ["privileges", "any", "new privileges", said("grep -q 'NoNewPrivs:.*0' /proc/self/status")],
  ["privileges", "root", "capabilities", said("grep -q 'CapEff:.*[1-9a-f]' /proc/self/status")],
  ["privileges", "user", "setuid program", said('[ "$("$SEEN/suid" -u)" = 0 ]')],
  [
    "privileges",
    "any",
    "makes a setuid program",
    said('cp /usr/bin/id "$IN/id" && chmod 4755 "$IN/id" && [ -u "$IN/id" ]'),
  ],
  [
    "privileges",
    "any",
    "opens a setuid program",
    perl('umask 0;my $f="$ENV{IN}/id2";unlink $f;syscall(nr(257,56),-100,$f,0101,04755);print "ESCAPED\\n" if -u $f'),
  ],
  [
    "kernel",
    "any",
    "keyring",
    perl(
      'my($t,$n,$v)=("user","sluice-escape","x");my $k=syscall(nr(248,217),$t,$n,$v,1,-2);print "ESCAPED\\n" if $k>0',
    ),
  ],
  ["kernel", "any", "io_uring", perl('my $b="\\0"x120;print "ESCAPED\\n" if syscall(425,1,$b)>=0')],
  ["kernel", "any", "userfaultfd", perl('print "ESCAPED\\n" if syscall(nr(323,282),1)>=0')],
  [
    "kernel",
    "maybe",
    "perf_event_open",
    perl('my $b=pack("LLQx96",1,112,0);print "ESCAPED\\n" if syscall(nr(298,241),$b,0,-1,-1,0)>=0'),
  ],
  [
    "kernel",
    "root",
    "bpf",
    perl('my $b=pack("LLLLx100",2,4,4,1);print "ESCAPED\\n" if syscall(nr(321,280),0,$b,72)>=0'),
  ],
  [
    "kernel",
    "root",
    "settings",
    said('v=$(cat /proc/sys/kernel/core_pattern); (printf %s "$v" > /proc/sys/kernel/core_pattern)'),
  ],
  ["kernel", "maybe", "sysrq", said("(exec 3>>/proc/sysrq-trigger)")],
  ["kernel", "maybe", "kernel log", said("(exec 3</dev/kmsg)")],
  ["kernel", "any", "core dumps", said('ulimit -c unlimited; [ "$(ulimit -c)" = unlimited ]')],
  [
    "cgroup",
    "any",
    "sees or joins",
    said('[ -n "$(ls /sys/fs/cgroup 2>/dev/null)" ] || [ -w /sys/fs/cgroup/cgroup.procs ]'),
  ],
  ["terminal", "any", "the host's terminal", said("(exec 3<>/dev/tty)")],
  ["terminal", "any", "TIOCSTI", perl('open T,"+<","/dev/tty";my $c="\\n";print "ESCAPED\\n" if ioctl T,0x5412,$c')],
  [
    "exhaustion",
    "any",
    "disk of /tmp",
    "head -c 20000000 /dev/zero > /tmp/sluice-fill-$$ && echo ESCAPED; rm -f /tmp/sluice-fill-$$",
  ],
  [
    "exhaustion",
    "any",
    "shared memory",
    "head -c 20000000 /dev/zero > /dev/shm/sluice-fill-$$ && echo ESCAPED; rm -f /dev/shm/sluice-fill-$$",
  ],
  ["exhaustion", "any", "memory", perl('my $x="a"x400e6;print "ESCAPED\\n"')],
  [
    "exhaustion",
    "user",
    "processes",
    perl(
      'my @p;for(1..300){my $p=fork;last if !defined $p;if(!$p){sleep 30;exit}push @p,$p}print "ESCAPED\\n" if @p==300;kill "KILL",@p',
    ),
  ],
  ["exhaustion", "any", "size of a file", said('head -c 20000000 /dev/zero > "$IN/large"')],
]

/** All attempts. */
export const escapeCases: ReadonlyArray<EscapeCase> = rows.map(([wall, open, name, script]) => ({
  wall,
  open,
  name,
  script,
}))

const separator = "=== attempt ===\n"

const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

/** All attempts as one script, and its output as that of each: walls are built once. */
export const allAttempts: string = escapeCases.map(({ script }) =>
  `printf '${separator.replace("\n", "\\n")}'; sh -c ${quote(script)}\n`
)
  .join("")

/** Splits the output of {@link allAttempts}. */
export const outputsOf = (text: string): ReadonlyArray<string> => text.split(separator).slice(1)
