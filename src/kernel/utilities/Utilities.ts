/**
 * Builtin utilities: programs of the kernel that behave as POSIX and GNU say, written over the system calls alone. Each
 * is a module of its own, so that a bundle holds only those that are imported.
 *
 * Source: POSIX.1-2024 "Utilities", GNU coreutils, grep, sed, findutils.
 *
 * @module
 */
import type { Program } from "../System.ts"
import { base64 } from "./base64.ts"
import { basename, dirname } from "./basename.ts"
import { cat } from "./cat.ts"
import { md5sum, sha1sum, sha256sum, sha512sum } from "./checksums.ts"
import { chmod } from "./chmod.ts"
import { comm } from "./comm.ts"
import { cp } from "./cp.ts"
import { cut } from "./cut.ts"
import { date } from "./date.ts"
import { diff } from "./diff.ts"
import { du } from "./du.ts"
import { echo } from "./echo.ts"
import { env } from "./env.ts"
import { expr } from "./expr.ts"
import { find } from "./find.ts"
import { expand, fold, unexpand } from "./fold.ts"
import { egrep, fgrep, grep } from "./grep.ts"
import { head } from "./head.ts"
import { hostname, id, pwd, uname, which, whoami } from "./identity.ts"
import { join } from "./join.ts"
import { kill } from "./kill.ts"
import { ln } from "./ln.ts"
import { ls } from "./ls.ts"
import { mkdir } from "./mkdir.ts"
import { mktemp } from "./mktemp.ts"
import { mv } from "./mv.ts"
import { nl } from "./nl.ts"
import { od } from "./od.ts"
import { paste } from "./paste.ts"
import { printenv } from "./printenv.ts"
import { printf } from "./printf.ts"
import { readlink, realpath } from "./realpath.ts"
import { rm } from "./rm.ts"
import { rmdir } from "./rmdir.ts"
import { sed } from "./sed.ts"
import { seq } from "./seq.ts"
import { sleep } from "./sleep.ts"
import { sort } from "./sort.ts"
import { split } from "./split.ts"
import { stat } from "./stat.ts"
import { rev, tac } from "./tac.ts"
import { tail } from "./tail.ts"
import { tee } from "./tee.ts"
import { bracket, test } from "./test.ts"
import { timeout } from "./timeout.ts"
import { touch } from "./touch.ts"
import { tr } from "./tr.ts"
import { noProgram, yesProgram } from "./true.ts"
import { truncate } from "./truncate.ts"
import { uniq } from "./uniq.ts"
import { wc } from "./wc.ts"
import { xargs } from "./xargs.ts"
import { xxd } from "./xxd.ts"
import { yes } from "./yes.ts"

/** Each utility by its name. `jq`, `awk` and the like are WASI programs, not built in. */
export const utilities: Readonly<Record<string, Program>> = {
  "[": bracket,
  base64,
  basename,
  cat,
  chmod,
  comm,
  cp,
  cut,
  date,
  diff,
  dirname,
  du,
  echo,
  egrep,
  env,
  expand,
  expr,
  false: noProgram,
  fgrep,
  find,
  fold,
  grep,
  head,
  hostname,
  id,
  join,
  kill,
  ln,
  ls,
  md5sum,
  mkdir,
  mktemp,
  mv,
  nl,
  od,
  paste,
  printenv,
  printf,
  pwd,
  readlink,
  realpath,
  rev,
  rm,
  rmdir,
  sed,
  seq,
  sha1sum,
  sha256sum,
  sha512sum,
  sleep,
  sort,
  split,
  stat,
  tac,
  tail,
  tee,
  test,
  timeout,
  touch,
  tr,
  true: yesProgram,
  truncate,
  uname,
  unexpand,
  uniq,
  wc,
  which,
  whoami,
  xargs,
  xxd,
  yes,
}

export {
  base64,
  basename,
  cat,
  chmod,
  comm,
  cp,
  cut,
  date,
  diff,
  dirname,
  du,
  echo,
  egrep,
  env,
  expand,
  expr,
  fgrep,
  find,
  fold,
  grep,
  head,
  hostname,
  id,
  join,
  kill,
  ln,
  ls,
  md5sum,
  mkdir,
  mktemp,
  mv,
  nl,
  od,
  paste,
  printenv,
  printf,
  pwd,
  readlink,
  realpath,
  rev,
  rm,
  rmdir,
  sed,
  seq,
  sha1sum,
  sha256sum,
  sha512sum,
  sleep,
  sort,
  split,
  stat,
  tac,
  tail,
  tee,
  test,
  timeout,
  touch,
  tr,
  truncate,
  uname,
  unexpand,
  uniq,
  wc,
  which,
  whoami,
  xargs,
  xxd,
  yes,
}
