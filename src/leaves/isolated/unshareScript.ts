/**
 * The script that builds walls in new namespaces: it mounts a new root, moves there, gives up all privileges, and becomes
 * the launcher.
 *
 * Words: the empty folder for the root, bytes of a private folder, the working directory, uid, gid, `keep` for a terminal that
 * is the command's own, the mounts, `--`, the launcher's words. All are quoted where they are used.
 *
 * Source: mount(8), pivot_root(8), setpriv(1), proc_pid_mountinfo(5), netdevice(7).
 */

/**
 * - A bind of a folder with mounts in it is recursive, because the kernel refuses to uncover what they cover; each of these
 *   mounts needs its own read-only remount, with the flags that it has.
 * - Below a writable folder (`bound-`), where everything is there already, a command of another leaf may swap a folder for a
 *   link at
 *   any time. So the path is opened first, and bound to itself only if it is where it should be; its flags are those of the folder.
 * - Root keeps its own id, and could write to `/proc/sys` without any capability: its `/proc` is read-only. Another user gets
 *   its id back by a second user namespace, whose maps have to be written to `/proc`.
 * - Only the flags of mounts are changed (`remount,bind`): mount(8) would repeat the options of a file system, and the id of
 *   its
 *   owner has no meaning in a user namespace.
 * - A mount is gone when its folder is removed, as of a container that ends meanwhile: then it has no flags to change.
 * - The shell reads byte by byte: it gets only the lines of mountinfo that it needs, where these are not escaped.
 * - The interface `lo` of a new network is down: SIOCSIFFLAGS sets UP, LOOPBACK and RUNNING.
 */
export const unshareScript = `set -eu
PATH=/usr/sbin:/usr/bin:/sbin:/bin
root=$1 bytes=$2 cwd=$3 uid=$4 gid=$5 session=$6
shift 6
place() {
  if [ -d "$1" ]; then mkdir -p "$root$1"
  else mkdir -p "$root\${1%/*}"; [ -e "$root$1" ] || : > "$root$1"; fi
}
mounts_of() {
  case $1 in *[[:space:]\\\\#]*) cat ;; *) grep -F " $1" ;; esac < /proc/self/mountinfo
}
flag_mounts() {
  mounts_of "$1" | while read -r _ _ _ _ escaped flags _; do
    point=$escaped
    case $point in *\\\\*) point=$(printf '%b_' "$(printf %s "$point" | sed 's/\\\\/\\\\0/g')"); point=\${point%_} ;; esac
    case $point in "$1") ;; "$1"/*) [ "$2" = ro ] || continue ;; *) continue ;; esac
    case $2,$flags, in rw,rw,*nosuid,nodev,*) continue ;; esac
    keep=nosuid,nodev
    case ,$flags, in *,noexec,*) keep=$keep,noexec ;; esac
    said=$(mount -o "remount,bind,$2,$keep" "$point" 2>&1) && continue
    grep -qF " $escaped " /proc/self/mountinfo || continue
    echo "$said" >&2
    exit 125
  done
}
is_at() {
  [ "$(readlink /proc/self/fd/7)" = "$root$1" ] && return
  echo "sluice: $1 was replaced while the isolation was set up" >&2
  exit 125
}
bind() {
  if [ "$2" = bound ] && { [ -d "$1" ] || [ -f "$1" ]; }; then
    exec 7<"$root$1"
    is_at "$1"
    mount --no-canonicalize --rbind /proc/self/fd/7 /proc/self/fd/7
    exec 7<&-
  else
    [ "$2" = bound ] || place "$1"
    mount --rbind "$1" "$root$1"
  fi
}
private() {
  mkdir -p "$root$1"
  mount -t tmpfs -o "mode=1777,nosuid,nodev,size=$bytes" tmpfs "$root$1"
}
mount_one() {
  case $1 in
  read-only | bound-read-only) bind "$2" "\${1%%-*}"; flag_mounts "$root$2" ro ;;
  writable | bound-writable) bind "$2" "\${1%%-*}"; flag_mounts "$root$2" rw ;;
  private) private "$2" ;;
  link) mkdir -p "$root\${2%/*}"; ln -s "$3" "$root$2" ;;
  hidden-folder) mkdir -p "$root$2"; mount -t tmpfs -o ro,mode=755,nosuid,nodev,size=4096 tmpfs "$root$2" ;;
  hidden-file) place "$2"; mount --bind /dev/null "$root$2"; mount -o remount,bind,ro,nosuid,nodev "$root$2" ;;
  esac
}
kernel_folders() {
  mkdir -p "$root/dev" "$root/proc"
  mount -t tmpfs -o mode=755,nosuid,noexec,size=65536 tmpfs "$root/dev"
  for device in null zero full random urandom tty; do
    : > "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
  done
  mkdir "$root/dev/pts" "$root/dev/shm"
  for link in "/proc/self/fd fd" "/proc/self/fd/0 stdin" "/proc/self/fd/1 stdout" "/proc/self/fd/2 stderr" "pts/ptmx ptmx"; do
    ln -s "\${link% *}" "$root/dev/\${link#* }"
  done
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620,nosuid,noexec devpts "$root/dev/pts"
  private /dev/shm
  mount -o remount,bind,ro,nosuid,noexec "$root/dev"
  mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
}
loopback() {
  perl -e 'socket my $s,2,2,0 or exit 1;my $r=pack("a16sx22","lo",73);ioctl $s,0x8914,$r or exit 1' 2>/dev/null && return
  ip link set lo up && return
  echo 'sluice: the loopback interface cannot be started: install perl or iproute2' >&2
  exit 125
}
loopback
mount -t tmpfs -o mode=755,nosuid,nodev,size=1048576 tmpfs "$root"
if [ "$1 $2" = "read-only /" ]; then mount --rbind / "$root"; flag_mounts "$root" ro; shift 2; fi
kernel_folders
while [ "$1" != -- ]; do
  if [ "$1" = link ]; then mount_one "$1" "$2" "$3"; shift 3
  else mount_one "$1" "$2"; shift 2; fi
done
shift
if [ "$uid" = 0 ]; then namespaces=0; else namespaces=1; fi
echo "$namespaces" > "$root/proc/sys/user/max_user_namespaces"
if [ "$uid" = 0 ]; then mount -o remount,bind,ro,nosuid,nodev,noexec "$root/proc"
else mount --bind "$root/proc/sys" "$root/proc/sys"; mount -o remount,bind,ro,nosuid,nodev,noexec "$root/proc/sys"; fi
mount -o remount,bind,ro,nosuid,nodev "$root"
cd "$root"
pivot_root . .
umount -l .
cd "$cwd"
set -- setpriv --no-new-privs --bounding-set=-all --inh-caps=-all --ambient-caps=-all -- "$@"
[ "$uid" = 0 ] || set -- unshare --user "--map-user=$uid" "--map-group=$gid" -- "$@"
[ "$session" = keep ] || set -- setsid "$@"
exec "$@"`
