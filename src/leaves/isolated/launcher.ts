/**
 * Builds the command lines that start an isolated command: an outer shell that prepares the descriptors of the engine, and
 * a launcher inside of the walls that gives the command its environment and reports the signal that ended it.
 *
 * The engine starts with an empty environment, because `LD_PRELOAD` and similar variables of a command would act before
 * the walls stand. The variables are therefore passed as the values of `E_0`, `E_1`, …, and the launcher unpacks them
 * inside.
 *
 * The launcher is perl(1), which is part of every Debian and Fedora. It waits for the command, because engines turn a signal
 * into the exit code 128 + n, which is also an exit code. Without perl a shell unpacks the variables.
 */
import { perlPortRelay, shellPortRelay } from "../../egress/portRelay.ts"
import { proxyPort } from "../../egress/proxyVariables.ts"
import { perlBoundCheck, shellBoundCheck, toMountinfo } from "./boundMounts.ts"

/** The program that starts commands inside of the walls. */
export interface IsolationLauncher {
  readonly kind: "perl" | "sh"
  readonly path: string
}

export interface Launch {
  /** The architecture, as the runtime names it. */
  readonly arch: string
  readonly variables: number
  /** Its argv[0]. */
  readonly name: string
  readonly file: string
  /** Whether the launcher installs the filter of system calls, because the engine does not. */
  readonly filter: boolean
  /** The socket of the network, if there is one. */
  readonly socket: string | undefined
  /** Whether stdin is a terminal of the command's own. */
  readonly onTerminal: boolean
  /** Paths of writable folders that the engine binds to themselves, which the launcher checks. */
  readonly bound: ReadonlyArray<string>
}

/** Packs variables under names that no program reads. */
export const packEnvironment = (variables: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).map(([name, value], index) => [`E_${index}`, `${name}=${value}`]))

/**
 * Ignores the signals that end a tree (the command gets them itself, and the walls stand until it has ended), opens the files
 * of status and filter as descriptors 8 and 9, and becomes the engine.
 */
const outerScript = 'trap "" HUP INT QUIT TERM; exec 8>"$1" 9<"$2"; shift 2; exec "$@"'

/** The words before the engine's. */
export const outerWords = (statusPath: string, filterPath: string): ReadonlyArray<string> => [
  ...["-c", outerScript, "sluice", statusPath, filterPath],
]

/** Numbers of prlimit64(2) and prctl(2). close_range(2) has one number everywhere. */
const callNumbers: Readonly<Record<string, { readonly prlimit: number; readonly prctl: number }>> = {
  x64: { prlimit: 302, prctl: 157 },
  arm64: { prlimit: 261, prctl: 167 },
}

/**
 * - The engine's bind mounts are checked first.
 * - It is not dumpable: as a process of the same user, the command could write into its status file through `/proc/1/fd`.
 * - A core limit of 1 byte also keeps a crash from the host's crash handler (core(5)).
 * - Descriptors that this program left open do not reach the command.
 * - The filter is installed with PR_SET_NO_NEW_PRIVS and PR_SET_SECCOMP.
 * - The relay of the network listens before the command starts.
 * - The status is `r`, and then the number of the signal, or `f` if no process could be made. It is the first process of its
 *   namespace: it reaps all others, and its end ends them.
 * - On a terminal the command leads the process group in front (TIOCSPGRP): shells control jobs only if their own group has
 *   an id inside. It continues after Ctrl-Z, as the first program of a terminal does everywhere, because no shell could wake
 *   it.
 */
const perlScript = (
  { arch, bound, filter, onTerminal }: Launch,
  hasSocket: boolean,
): string => {
  const numbers = callNumbers[arch]
  const limit = numbers === undefined
    ? ""
    : `syscall(${numbers.prctl},4,0,0,0,0)==0 or die "sluice: prctl: $!\\n";syscall ${numbers.prlimit},0,4,my $core=pack("QQ",1,1),0;`
  const install = numbers === undefined || !filter
    ? ""
    : `open my $in,"<&=",9;binmode $in;read $in,my $f,65536;my $g=pack("Sx6P",length($f)/8,$f);
syscall(${numbers.prctl},38,1,0,0,0)==0&&syscall(${numbers.prctl},22,2,$g,0,0)==0 or die "sluice: seccomp: $!\\n";`
  const relay = hasSocket ? `${perlPortRelay}relay(${proxyPort},shift @ARGV);\n` : ""
  const lead = onTerminal
    ? `$SIG{TTOU}="IGNORE";setpgrp 0,0;my $g=pack("i",$$);ioctl STDIN,0x5410,$g;$SIG{TTOU}="DEFAULT";`
    : ""
  const [options, resume] = onTerminal ? ["2", `kill "CONT",$pid if $w==$pid&&$s==0x147f`] : ["0", ""]
  return `${bound.length > 0 ? perlBoundCheck : ""}${install}${limit}syscall 436,3,7,0;syscall 436,9,4294967295,0;
${relay}open my $out,">&=",8;syswrite $out,"r";
my($n,$name,$file)=splice @ARGV,0,3;
my @v=map{$ENV{"E_$_"}}0..$n-1;
%ENV=();
for(@v){my($k,$w)=split /=/,$_,2;$ENV{$k}=$w}
my $pid=fork;
if(!defined $pid){syswrite $out,"f";exit 125}
if(!$pid){close $out;$SIG{$_}="DEFAULT" for qw(HUP INT QUIT TERM);${lead}exec{$file}$name,@ARGV;
print STDERR "sluice: cannot execute $file: $!\\n";exit($!==2?127:126)}
my($w,$s);do{$w=waitpid -1,${options};$s=$?;${resume}}until $w==$pid&&($s&127)!=127||$w<0;
syswrite $out,$s&127 if $s&127;
exit($s&127?128+($s&127):$s>>8)`
}

const shScript = (hasSocket: boolean, checksBound: boolean): string =>
  `${checksBound ? shellBoundCheck : ""}${hasSocket ? `${shellPortRelay}relay ${proxyPort} "$1"; shift\n` : ""}n=$1; i=0
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
ulimit -c 0
shift 2
while [ "$i" -lt "$n" ]; do eval "v=\\$E_$i"; unset "E_$i"; export "$v"; i=$((i + 1)); done
unset v
exec "$@"`

/** The words that start a program inside. */
export const launcherWords = (
  { kind, path }: IsolationLauncher,
  launch: Launch,
): ReadonlyArray<string> => {
  const { bound, file, name, socket, variables } = launch
  const checks = bound.length === 0 ? [] : [String(bound.length), ...bound.map(toMountinfo)]
  const words = [...checks, ...socket === undefined ? [] : [socket], String(variables), name, file]
  const hasSocket = socket !== undefined
  return kind === "perl"
    ? [path, "-e", perlScript(launch, hasSocket), "--", ...words]
    // `sh` cannot give a program another name.
    : [path, "-c", shScript(hasSocket, checks.length > 0), "sluice", ...words]
}

export interface LaunchStatus {
  /** Whether the launcher ran, behind complete walls. */
  readonly ran: boolean
  /** Whether the system refused to make the process of the command. */
  readonly refusedFork: boolean
  readonly signal: number | undefined
}

export const readStatus = (text: string): LaunchStatus => {
  const end = text.slice(1)
  const signal = Number(end)
  return {
    ran: text.startsWith("r"),
    refusedFork: end === "f",
    signal: end !== "" && Number.isInteger(signal) ? signal : undefined,
  }
}
