/**
 * Builds the arguments of bubblewrap for a plan of mounts.
 *
 * Source: bwrap(1), version 0.8.
 */
import type { Mount } from "./Mount.ts"

/** The walls that bubblewrap builds. */
export interface BwrapPlan {
  readonly mounts: ReadonlyArray<Mount>
  readonly maxTmpBytes: number
  /** Descriptor of a compiled filter of system calls, if there is one. */
  readonly filterFd?: number | undefined
  /** Whether the command keeps the session, for a terminal that is its own. */
  readonly keepsSession?: boolean | undefined
  /** Whether the program is the first process inside, and so has to reap all others. */
  readonly isInit?: boolean | undefined
}

const namespaces = [
  ...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--unshare-net"],
  // A user namespace inside would give all capabilities there, and with them most of the kernel's attack surface.
  ...["--disable-userns", "--die-with-parent", "--cap-drop", "ALL"],
]

const mountWords = (mount: Mount, size: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { path } = mount
  switch (mount._tag) {
    case "ReadOnly":
      return ["--ro-bind", path, path]
    case "Writable":
      return ["--bind", path, path]
    case "Link":
      return ["--symlink", mount.target, path]
    case "Private":
      return [...size, "--perms", "1777", "--tmpfs", path]
    case "Hidden":
      // Bound without devices, so that even /dev/null cannot be opened there.
      return mount.directory
        ? ["--size", "4096", "--tmpfs", path, "--remount-ro", path]
        : ["--ro-bind", "/dev/null", path]
  }
}

/** The arguments before `--chdir`. */
export const bwrapWords = (
  { filterFd, isInit, keepsSession, mounts, maxTmpBytes }: BwrapPlan,
): ReadonlyArray<string> => {
  const size = ["--size", String(maxTmpBytes)]
  const [root, ...others] = mounts[0]?.path === "/" ? mounts : [undefined, ...mounts]
  return [
    ...namespaces,
    // Without a session of its own a command could type into this program's terminal (TIOCSTI).
    ...(keepsSession === true ? [] : ["--new-session"]),
    ...(isInit === true ? ["--as-pid-1"] : []),
    ...(root === undefined ? [] : mountWords(root, size)),
    ...["--dev", "/dev", ...size, "--perms", "1777", "--tmpfs", "/dev/shm", "--remount-ro", "/dev"],
    // Read-only: bubblewrap covers only some of the files there through which root controls the kernel.
    ...["--proc", "/proc", "--remount-ro", "/proc"],
    ...others.flatMap((mount) => mount === undefined ? [] : mountWords(mount, size)),
    ...["--remount-ro", "/"],
    ...(filterFd === undefined ? [] : ["--seccomp", String(filterFd)]),
  ]
}
