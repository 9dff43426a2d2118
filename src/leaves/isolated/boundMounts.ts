/**
 * Builds the checks of bind mounts below writable folders, which run inside the walls before the command.
 *
 * A bind of a folder to its own path has the device of the mount that it covers, and its root is as far below that
 * mount's root as its path is below that mount's path. Anything else was reached through a link; a path without a mount
 * was covered elsewhere.
 *
 * Source: proc_pid_mountinfo(5).
 */
import { isWithin } from "../../host/paths.ts"
import type { Mount } from "./Mount.ts"

/** Whether a mount binds a path of a writable folder to itself. */
export const isBound = ({ _tag, path }: Mount, index: number, all: ReadonlyArray<Mount>): boolean =>
  (_tag === "ReadOnly" || _tag === "Writable") &&
  all.slice(0, index).findLast((each) => isWithin(path, each.path))?._tag === "Writable"

/** Paths as mountinfo prints them. */
export const toMountinfo = (path: string): string =>
  path.replace(/[ \t\n\\]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`)

/** Perl: takes a number and as many paths from its words, and ends with 125 if one is not bound to itself. */
export const perlBoundCheck: string = String
  .raw`{my @b=splice @ARGV,0,shift @ARGV;my(%m,%l);open my $in,"<","/proc/self/mountinfo" or die "sluice: mountinfo: $!\n";
while(<$in>){my($i,@f)=split / /;$m{$i}=\@f;$l{$f[3]}=\@f}
for(@b){my $l=$l{$_};my $p=$l&&$m{$l->[0]};if($p){my($r,$x)=map{$_ eq "/"?"":$_}@$p[2,3];
next if $p->[1]eq$l->[1]&&$r.substr($_,length $x)eq($l->[2]eq"/"?"":$l->[2])}
print STDERR "sluice: $_ was replaced while the isolation was set up\n";exit 125}}
`

/** The same for the shell. */
export const shellBoundCheck: string = `is_bound() {
  up=
  while read -r _ parent device root point _; do
    if [ "$point" = "$1" ]; then up=$parent own="$device \${root%/}"; fi
  done </proc/self/mountinfo
  while read -r id _ device root point _; do
    [ "$id" = "$up" ] && [ "$device \${root%/}\${1#"\${point%/}"}" = "$own" ] && return
  done </proc/self/mountinfo
  echo "sluice: $1 was replaced while the isolation was set up" >&2
  exit 125
}
bounds=$1; shift
while [ "$bounds" -gt 0 ]; do is_bound "$1"; shift; bounds=$((bounds - 1)); done
`
