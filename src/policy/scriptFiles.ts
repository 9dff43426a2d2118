/**
 * Makes the file system that a script sees behind a policy, and decides which files the script itself may open.
 *
 * Below the roots a script may read everything, and write as `redirects` allows; outside of them it may read the
 * folders of `readable`, or everything with `redirects: "read"` and `"all"`. Without roots it sees the names of all
 * files, as any program does, but cannot read any. Folders are held open while they are used, and no link leads out of
 * them: see `nodeHostFiles.ts`.
 */
import { quoteIfNeeded } from "../base/quote.ts"
import { absolutePath } from "../base/absolutePath.ts"
import { protectedNameFinder } from "../base/protectedNames.ts"
import { Errno } from "../kernel/Errno.ts"
import type { FileSystem, OpenOptions } from "../kernel/FileSystem.ts"
import { devices } from "../kernel/fs/devices.ts"
import { makeFolders } from "../kernel/fs/files.ts"
import { makeHostFolder } from "../kernel/fs/HostFolder.ts"
import { memory } from "../kernel/fs/memory.ts"
import type { Volume } from "../kernel/fs/Node.ts"
import { hostFiles } from "../kernel/fs/nodeHostFiles.ts"
import { readOnly } from "../kernel/fs/overlay.ts"
import { VirtualFileSystem } from "../kernel/fs/VirtualFileSystem.ts"
import { systemClock } from "../kernel/process/KernelClock.ts"
import { isDevice } from "../script/emptyFiles.ts"
import { isWithinRoot } from "./allowDirectory.ts"
import type { AccessPolicySettings } from "./accessPolicyFields.ts"
import { notAllowed, type PolicyRefusal } from "./PolicyRefusal.ts"

export interface ScriptFilesOptions {
  readonly policy: AccessPolicySettings
  /** Canonical roots; `undefined` for none. */
  readonly roots: ReadonlyArray<string> | undefined
  readonly cwd: string
  readonly home: string | undefined
  /** Whether commands run isolated: then scripts do not see files outside of the isolation either. */
  readonly isolated: boolean
}

export interface ScriptFiles {
  readonly fileSystem: FileSystem
  /** The refusal of a file that the script itself may not open. */
  readonly refusalOf: (path: string, options: OpenOptions, cwd: string) => PolicyRefusal | undefined
}

const emptyFolderMode = 0o555

const seesMachine = ({ isolated, policy: { redirects }, roots }: ScriptFilesOptions): boolean =>
  !isolated && (roots === undefined || redirects === "all" || redirects === "read")

const volumesOf = (options: ScriptFilesOptions): Readonly<Record<string, Volume>> => {
  const { home, isolated, policy, roots } = options
  const { readable = [], redirects = "none", utilities } = policy
  const files = hostFiles({ details: true })
  const mayWrite = !isolated
  const isThere = (path: string): boolean => typeof files.realFolder(path) === "string"
  const guarded = (path: string): Volume => {
    const find = protectedNameFinder(path, home)
    return makeHostFolder(files, path, redirects === "all" ? undefined : (names) => find(names) !== undefined)
  }
  const writable = (path: string): Volume => mayWrite ? guarded(path) : readOnly(guarded(path))
  // Without roots, names are visible but no file is opened, wherever a link of a readable folder leads.
  const names = { ...files, open: () => -Errno.EACCES }
  const opensAll = redirects === "all" || redirects === "read" || utilities === "contained"
  const all = redirects === "all" || (utilities === "contained" && roots === undefined)
    ? writable("/")
    : readOnly(makeHostFolder(opensAll ? files : names, "/"))
  return {
    "/": seesMachine(options) ? all : memory({ maxBytes: 1 }),
    "/dev": devices({}),
    // /proc of this process would show the host.
    "/proc": readOnly(memory({ maxBytes: 1 })),
    // A mount creates a missing folder, which must not happen on the machine.
    ...Object.fromEntries(
      readable.filter(isThere).map((path) => [path, readOnly(makeHostFolder(files, path))]),
    ),
    ...Object.fromEntries((roots ?? []).map((path) => [path, writable(path)])),
  }
}

export const refusedFile = (path: string, why: string): PolicyRefusal =>
  notAllowed("redirects", path, `a script may not open ${quoteIfNeeded(path)}: ${why}`)

export const makeScriptFiles = (options: ScriptFilesOptions): ScriptFiles => {
  const { cwd, policy, roots } = options
  const { "/": root, ...mounts } = volumesOf(options)
  const fileSystem = VirtualFileSystem.make({ mounts: { "/": root ?? memory() }, now: systemClock.now, sorted: false })
  for (const [path, volume] of Object.entries(mounts)) fileSystem.mount(path, volume)
  // A working directory that the script may not see is an empty folder.
  if (typeof fileSystem.directory(fileSystem.root, cwd) === "number") makeFolders(fileSystem, cwd)
  // Never the machine's root folder.
  if (!seesMachine(options)) fileSystem.setMode(fileSystem.root, "/", emptyFolderMode)
  const { readable = [], redirects = "none" } = policy
  const below = (folders: ReadonlyArray<string> | undefined, path: string): boolean =>
    folders?.some((folder) => isWithinRoot(path, folder)) === true
  return {
    fileSystem,
    refusalOf: (given, { write }, at) => {
      const path = absolutePath(given, at)
      if (redirects === "all" || isDevice(path)) return undefined
      if (write === true) {
        if (redirects !== "roots") return refusedFile(given, "redirections to files are not allowed")
        return below(roots, path) ? undefined : refusedFile(given, "it is not within an allowed root")
      }
      if (redirects === "read" || below(roots, path) || below(readable, path)) return undefined
      return refusedFile(
        given,
        roots === undefined ? "redirections of files are not allowed" : "it is not within an allowed root",
      )
    },
  }
}
