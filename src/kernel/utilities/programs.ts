/** Exports each built-in utility from its own module, so that a bundle holds only those it imports. */
export { bunzip2, bzcat, bzip2, gunzip, gzip, tar, unxz, unzip, xz, xzcat, zcat, zgrep, zip } from "./archives.ts"
export { awk } from "./awk.ts"
export { base64 } from "./base64.ts"
export { basename, dirname } from "./basename.ts"
export { cat } from "./cat.ts"
export { chmod } from "./chmod.ts"
export { cp } from "./cp.ts"
export { curl } from "./curl.ts"
export { cut } from "./cut.ts"
export { date } from "./date.ts"
export { diff } from "./diff.ts"
export { echo } from "./echo.ts"
export { env } from "./env.ts"
export { find } from "./find.ts"
export { egrep, fgrep, grep } from "./grep.ts"
export { head } from "./head.ts"
export { hostname, id, pwd, uname, which, whoami } from "./identity.ts"
export { jq } from "./jq.ts"
export { kill } from "./kill.ts"
export { ln } from "./ln.ts"
export { ls } from "./ls.ts"
export { mkdir } from "./mkdir.ts"
export { mktemp } from "./mktemp.ts"
export { mv } from "./mv.ts"
export { paste } from "./paste.ts"
export { patch } from "./patch.ts"
export { printenv } from "./printenv.ts"
export { printf } from "./printf.ts"
export { readlink, realpath } from "./realpath.ts"
export { rg } from "./rg.ts"
export { rm } from "./rm.ts"
export { rmdir } from "./rmdir.ts"
export { sed } from "./sed.ts"
export { seq } from "./seq.ts"
export { sleep } from "./sleep.ts"
export { sort } from "./sort.ts"
export { rev, tac } from "./tac.ts"
export { tail } from "./tail.ts"
export { tee } from "./tee.ts"
export { test } from "./test.ts"
export { timeout } from "./timeout.ts"
export {
  b2sum,
  bc,
  cksum,
  clear,
  cmp,
  column,
  comm,
  csplit,
  dd,
  df,
  du,
  envsubst,
  expand,
  expr,
  file,
  fmt,
  fold,
  free,
  getopt,
  hexdump,
  iconv,
  install,
  join,
  less,
  md5sum,
  mkfifo,
  more,
  nice,
  nl,
  nohup,
  nproc,
  numfmt,
  od,
  pgrep,
  pkill,
  ps,
  sha1sum,
  sha256sum,
  sha512sum,
  shuf,
  split,
  stat,
  strings,
  sum,
  top,
  tput,
  tree,
  tsort,
  unexpand,
  uptime,
  uuidgen,
  xxd,
} from "./tools.ts"
export { touch } from "./touch.ts"
export { tr } from "./tr.ts"
export { truncate } from "./truncate.ts"
export { uniq } from "./uniq.ts"
export { wc } from "./wc.ts"
export { wget } from "./wget.ts"
export { xargs } from "./xargs.ts"
export { yes } from "./yes.ts"
export { yq } from "./yq.ts"
