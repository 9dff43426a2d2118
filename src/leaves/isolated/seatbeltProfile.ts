/**
 * Writes the profile with which sandbox-exec(1) of macOS isolates a command, from a plan of mounts.
 *
 * The last rule that matches decides, so rules come in the order of mounts. A path that is missing can be denied as well, so
 * no placeholders are needed. Untested: no macOS machine runs the tests.
 *
 * Source: sandbox-exec(1), sandbox(7), `/System/Library/Sandbox/Profiles`.
 */
import type { Mount } from "./Mount.ts"

const quote = (path: string): string => `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`

const within = (path: string): string => `(subpath ${quote(path)})`

const rulesOf = (mount: Mount): ReadonlyArray<string> => {
  const { path } = mount
  switch (mount._tag) {
    case "ReadOnly":
      return [`(allow file-read* ${within(path)})`, `(deny file-write* ${within(path)})`]
    case "Writable":
      // Its own name stays protected, because the folder could be moved away with its protected content.
      return [`(allow file-read* file-write* ${within(path)})`, `(deny file-write-unlink (literal ${quote(path)}))`]
    case "Private":
    case "Hidden":
      return [`(deny file-read* file-write* ${within(path)})`]
    // A link is its target, which has a rule.
    case "Link":
      return []
  }
}

/** Rules that every program needs: its own processes, the loader, locale and time zone, and harmless devices. */
const common: ReadonlyArray<string> = [
  "(version 1)",
  "(deny default)",
  '(import "system.sb")',
  "(allow process-exec process-fork)",
  "(allow signal (target same-sandbox))",
  "(allow process-info* (target same-sandbox))",
  "(allow sysctl-read)",
  "(allow pseudo-tty)",
  "(allow file-read-metadata)",
  '(allow file-read* (literal "/") (subpath "/private/var/db/timezone") (subpath "/private/var/select"))',
  '(allow file-read* file-write* file-ioctl (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))',
  '(allow file-read* (literal "/dev/random") (literal "/dev/urandom") (subpath "/dev/fd"))',
]

/** Writes the profile. `mounts` are canonical; `temporary` is the private folder of the commands. */
export const seatbeltProfile = (mounts: ReadonlyArray<Mount>, temporary: string): string =>
  [
    ...common,
    ...mounts.flatMap(rulesOf),
    `(allow file-read* file-write* ${within(temporary)})`,
    "(deny network*)",
  ].join("\n")
