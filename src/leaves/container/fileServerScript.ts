/**
 * Holds the shell program that serves the files of a container, and encodes the requests that it reads from its stdin.
 *
 * The program needs a POSIX `sh`, `/proc`, and of coreutils or BusyBox: `chmod`, `dd`, `ln`, `mkdir`, `mv`, `readlink`,
 * `rm`, `rmdir`, `stat`. It enters a folder and asks the kernel for its path; all later calls are relative to that folder,
 * so a process that swaps a folder for a link meanwhile redirects nothing. A file is opened for reading, and its path is
 * checked before any byte is read or written. Messages of programs are those of the C locale.
 *
 * The first line is a secret, which begins each request: unread bytes of a write are never taken for one.
 *
 * Source: sh(1p), dd(1p), proc_pid_cwd(5), proc_pid_fd(5).
 */
import { quoteInLine } from "../../sh-session/startFunctions.ts"

/** Descriptors of one server for open files: a shell supports single digits only. */
export const fileSlots: ReadonlyArray<number> = [5, 6, 7, 8, 9]

/** Number of names that `stat` gets at once. */
const batch = 256

const batchWords = Array.from({ length: batch }, (_, index) => `\${${index + 1}:+"./\${${index + 1}}"}`).join(" ")

/**
 * Replies, after the bytes that were asked for: `ok …`; `no CODE`; `text …`, the message of a program. A request sets `id` of
 * the reply, `root` (without a final slash), `links` (whether the last name may be one) and `exact` (whether no folder may be
 * one).
 */
export const fileServerScript: string = `LC_ALL=C
export LC_ALL
unset CDPATH
_slb='
'
say() { printf '\\036\\025\\016\\002%s %s\\036\\025\\016\\003' "$id" "$1"; }
no() { say "no $1"; return 1; }
told() { say "text $1"; return 1; }
place() {
  at=$(readlink -n "/proc/self/$1"; echo /)
  at=\${at%/}
}
is_inside() { case $at/ in "$root"/*) ;; *) no ENOTCAPABLE ;; esac; }
is_there() { [ -e "$1" ] || [ -h "$1" ]; }
shut() { eval "exec $1<&-"; }
enter() {
  cd -P -- "\${1:-/}" 2>/dev/null || told "$(stat -L -- "$1/." 2>&1 >/dev/null)" || return
  place cwd
  is_inside || return
  [ "$exact" = 0 ] || [ "$at" = "\${1:-/}" ] || no ELOOP
}
follow() {
  name=$1 tries=40
  while [ -h "./$name" ]; do
    [ "$links" = 1 ] && [ $tries -gt 0 ] || no ELOOP || return
    tries=$((tries - 1))
    if [ -d "./$name" ]; then
      cd -P -- "./$name" 2>/dev/null || no EACCES || return
      name=.
      break
    fi
    target=$(readlink -n "./$name"; echo /)
    target=\${target%/}
    folder=. base=$target
    case $target in */*) folder=\${target%/*} base=\${target##*/} ;; esac
    case $base in "" | . | ..) told "$(stat -L "./$name" 2>&1 >/dev/null)"; return ;; esac
    cd -P -- "\${folder:-/}" 2>/dev/null || told "$(stat -L "./$name" 2>&1 >/dev/null)" || return
    name=$base
  done
  [ $tries = 40 ] && return
  place cwd
  is_inside
}
is_file() {
  [ -h "./$name" ] || [ ! -f "./$name" ] || return 0
  [ ! -h "./$name" ] || no ELOOP || return
  [ ! -d "./$name" ] || no EISDIR || return
  [ ! -e "./$name" ] || no ENXIO || return
  [ $tries = 40 ] || no EDANGLING || return
  told "$(stat "./$name" 2>&1 >/dev/null)"
}
is_opened() {
  place "fd/$1"
  is_inside || { shut "$1"; return 1; }
}
do_root() {
  cd -P -- "$1" 2>/dev/null || told "$(stat -L -- "$1/." 2>&1 >/dev/null)" || return
  place cwd
  say "ok $at"
}
do_place() { enter "$1" && say "ok $at"; }
do_room() { out=$(stat -f -c '%a %S %d' "$root/" 2>&1) && say "ok $out" || told "$out"; }
do_stat() {
  enter "$1" || return
  name=$2
  [ "$3" = 0 ] || follow "$2" || return
  out=$(stat -c '%f %s %Y' "./$name" 2>&1) && say "ok $out" || told "$out"
}
do_list() {
  enter "$1" || return
  if [ -n "$2" ]; then
    [ ! -h "./$2" ] || no ELOOP || return
    before=\${at%/}/$2
    cd -P -- "./$2" 2>/dev/null || told "$(stat -L "./$2/." 2>&1 >/dev/null)" || return
    place cwd
    [ "$at" = "$before" ] || no ELOOP || return
  fi
  [ -r . ] || no EACCES || return
  set -- * .[!.]* ..?*
  for name; do
    [ -h "./$name" ] || continue
    printf './%s//>' "$name"
    readlink -n "./$name" 2>/dev/null
    printf '\\000'
  done
  while [ $# -gt 0 ]; do
    stat -c '%n//%f %s %Y' ${batchWords} 2>/dev/null
    shift $(($# < ${batch} ? $# : ${batch}))
  done
  say ok
}
get() {
  [ "$2" = 0 ] || dd bs=1 skip="$2" count=0 <&"$1" 2>/dev/null
  [ "$3" = 0 ] || dd bs="$3" count=1 iflag=fullblock <&"$1" 2>/dev/null
}
do_open() {
  slot=$1 where=\${2%/}/$3
  cd -P -- "\${2:-/}" 2>/dev/null || told "$(stat -L -- "$2/." 2>&1 >/dev/null)" || return
  follow "$3" || return
  is_file || return
  eval "command exec $slot<\\"./\\$name\\"" 2>/dev/null || no EACCES || return
  is_opened "$slot" || return
  if [ "$exact" = 1 ] && [ "$at" != "$where" ] && [ "$at" != "$where (deleted)" ]; then
    shut "$slot"
    no ELOOP
    return
  fi
  out=$(stat -L -c '%f %s %Y' "/proc/self/fd/$slot" 2>&1) || told "$out" || return
  size=\${out#* }
  size=\${size%% *}
  if [ "$size" = 0 ] || [ "$4" -lt "$size" ]; then get "$slot" "$4" "$5"; fi
  if [ "$size" -gt 0 ] && { [ "$6" = 1 ] || [ $(($4 + $5)) -ge "$size" ]; }; then shut "$slot"; fi
  say "ok $out"
}
do_read() {
  [ "$2" = 0 ] || eval "command exec $1</proc/self/fd/$1" 2>/dev/null || no EIO || return
  get "$1" "$3" "$4" && say ok || no EIO
}
do_close() { shut "$1"; say ok; }
make() {
  before=
  if [ -n "$3" ]; then before=$(umask); umask 077; fi
  set -C
  eval "command exec $1>\\"./\\$2\\"" 2>/dev/null
  made=$?
  set +C
  [ -z "$before" ] || umask "$before"
  return $made
}
stage() {
  make "$1" "$2" "$3" || told "$( (set -C; : >"./$2") 2>&1)" || return
  eval "dir_$1=\\$at tmp_$1=\\$2 mode_$1=\\$3 name_$1=\\$name"
  say ok
}
do_create() {
  enter "$2" || return
  name=$3
  ! is_there "./$name" || no EEXIST || return
  stage "$1" "$4" "$5"
}
do_replace() {
  enter "$2" || return
  follow "$3" || return
  mode=$5
  if is_there "./$name"; then
    is_file || return
    [ -n "$mode" ] || mode=$(stat -c %a "./$name")
    while [ \${#mode} -gt 3 ] && [ -z "$5" ]; do mode=\${mode#?}; done
  else
    [ $tries = 40 ] || no EDANGLING || return
    [ "$6" = 0 ] || no ENOENT || return
  fi
  stage "$1" "$4" "$mode"
}
do_append() {
  enter "$2" || return
  follow "$3" || return
  for try in 1 2 3; do
    if is_there "./$name"; then
      is_file || return
      { command exec 4<"./$name"; } 2>/dev/null || no EACCES || return
      is_opened 4 || return
      break
    fi
    [ $tries = 40 ] || no EDANGLING || return
    [ "$4" = 1 ] || no ENOENT || return
    make 4 "$name" "$5" && break
    is_there "./$name" && [ $try -lt 3 ] || told "$( (set -C; : >"./$name") 2>&1)" || return
  done
  eval "command exec $1>>/proc/self/fd/4" 2>/dev/null
  opened=$?
  shut 4
  [ $opened = 0 ] || no EACCES || return
  [ -z "$5" ] || out=$(chmod "$5" "/proc/self/fd/$1" 2>&1) || { told "$out"; return; }
  say ok
}
do_write() { out=$(dd bs="$2" count=1 iflag=fullblock 2>&1 >&"$1") && say ok || told "$out"; }
flush() {
  [ "$2" = 0 ] || out=$(dd if=/dev/null conv=notrunc,fsync 2>&1 >&"$1") || told "$out"
}
do_flush() { flush "$1" "$2" && say ok; }
move() { out=$(mv -fT "./$tmp" "./$name" 2>&1) || told "$out"; }
link_new() {
  out=$(ln -T "./$tmp" "./$name" 2>&1) && { rm -f "./$tmp"; return 0; }
  is_there "./$name" && { no EEXIST; return; }
  case $out in *permitted* | *upported* | *many\\ links* | *implemented*) ;; *) told "$out"; return ;; esac
  out=$( (set -C; : >"./$name") 2>&1) || told "$out" || return
  move
}
do_commit() {
  eval "folder=\\$dir_$1 tmp=\\$tmp_$1 mode=\\$mode_$1 name=\\$name_$1"
  if [ -n "$mode" ]; then out=$(chmod "$mode" "/proc/self/fd/$1" 2>&1) || told "$out" || return; fi
  flush "$1" "$3" || return
  cd -P -- "$folder" 2>/dev/null || no EMOVED || return
  place cwd
  [ "$at" = "$folder" ] && [ "./$tmp" -ef "/proc/self/fd/$1" ] || no EMOVED || return
  case $2 in
  new) link_new || return ;;
  must) [ -e "./$name" ] || no ENOENT || return ; move || return ;;
  *) move || return ;;
  esac
  eval "tmp_$1="
  shut "$1"
  say ok
}
discard() {
  eval "folder=\\$dir_$1 tmp=\\$tmp_$1"
  [ -n "$tmp" ] || return
  cd -P -- "$folder" 2>/dev/null && [ "./$tmp" -ef "/proc/self/fd/$1" ] && rm -f "./$tmp"
  eval "tmp_$1="
}
do_discard() { discard "$1"; shut "$1"; say ok; }
do_mkdir() { enter "$1" || return; out=$(mkdir "./$2" 2>&1) && say ok || told "$out"; }
do_rm() { enter "$1" || return; out=$(rm "./$2" 2>&1 </dev/null) && say ok || told "$out"; }
do_rmdir() { enter "$1" || return; out=$(rmdir "./$2" 2>&1) && say ok || told "$out"; }
empty() {
  cd -P -- "./$1" 2>/dev/null || no EACCES || return
  here=\${here%/}/$1
  place cwd
  [ "$at" = "$here" ] || no EMOVED || return
  [ -r . ] || no EACCES || return
  set -- * .[!.]* ..?*
  for each; do
    if [ -d "./$each" ] && [ ! -h "./$each" ]; then empty "$each" || return; fi
  done
  set -- * .[!.]* ..?*
  for each; do
    ! is_there "./$each" || count=$((count + 1))
  done
  while [ $# -gt 0 ]; do
    out=$(rm -f ${batchWords} 2>&1) || told "$out" || return
    shift $(($# < ${batch} ? $# : ${batch}))
  done
  path=$here
  here=\${here%/*}
  cd -P .. 2>/dev/null || no EMOVED || return
  place cwd
  [ "$at" = "\${here:-/}" ] || no EMOVED || return
  out=$(rmdir "./\${path##*/}" 2>&1) || told "$out" || return
  count=$((count + 1))
}
do_tree() {
  enter "$1" || return
  count=0 here=$at
  if [ -h "./$2" ] || [ ! -d "./$2" ]; then out=$(rm "./$2" 2>&1 </dev/null) && say "ok 1" || told "$out"
  else empty "$2" && say "ok $count"; fi
}
${fileSlots.map((slot) => `tmp_${slot}=`).join(" ")}
trap 'for slot in ${fileSlots.join(" ")}; do discard $slot; done' EXIT
trap exit HUP TERM INT
IFS= read -r token
while IFS= read -r line; do
  case $line in
  "$token "*) eval "\${line#"$token "}" ;;
  *) exit 1 ;;
  esac
done`

/** A call of the server: the name of its function, and its words. */
export interface FileCall {
  readonly name:
    | "root"
    | "place"
    | "room"
    | "stat"
    | "list"
    | "open"
    | "read"
    | "close"
    | "create"
    | "replace"
    | "append"
    | "write"
    | "flush"
    | "commit"
    | "discard"
    | "mkdir"
    | "rm"
    | "rmdir"
    | "tree"
  readonly words: ReadonlyArray<string | number>
  /** The root, without a final slash. */
  readonly root?: string | undefined
  /** Whether the last name may be a link. Default: `false`. */
  readonly links?: boolean | undefined
  /** Whether no link may lead to a folder. Default: `false`. */
  readonly exact?: boolean | undefined
}

/** Encodes a call as the line that the server reads. */
export const encodeCall = (
  token: string,
  id: string,
  { exact = false, links = false, name, root = "", words }: FileCall,
): string =>
  `${token} id=${id}; root=${quoteInLine(root)}; links=${links ? 1 : 0}; exact=${exact ? 1 : 0}; do_${name} ${
    words.map((word) => quoteInLine(String(word))).join(" ")
  }\n`
