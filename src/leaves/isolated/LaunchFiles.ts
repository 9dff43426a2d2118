/**
 * Keeps the files of a leaf's launches in a folder of its own: the filter of system calls, and for each command the file
 * into which its launcher writes how it ended.
 *
 * A file is used instead of a pipe, for which Deno and Bun would need another way to start processes.
 */
import { nodeBuiltins } from "../../base/nodeBuiltins.ts"
import { OptionError } from "../../base/OptionError.ts"
import { leafFolderPrefix } from "./Cleaner.ts"
import { isWithin } from "../../host/paths.ts"

/** Enough for a letter and the number of a signal. */
const maxStatusBytes = 16

export interface StatusFile {
  readonly path: string
  /** Reads and removes it; `""` if it was never written. */
  readonly take: () => string
}

export interface LaunchFiles {
  readonly directory: string
  readonly next: () => StatusFile
  /** Removes the folder. */
  readonly release: () => void
}

/**
 * Makes the folder, with the filter and an empty folder `root`, where no command can write: a command could otherwise
 * replace the filter.
 */
export const makeLaunchFiles = (filter: Uint8Array, writable: ReadonlyArray<string>): LaunchFiles => {
  const builtins = nodeBuiltins()
  if (builtins === undefined) throw new Error("isolation: this runtime has no file system")
  const fs = builtins.getBuiltinModule("node:fs")
  const { tmpdir } = builtins.getBuiltinModule("node:os")
  const usable = (path: string): string | undefined => {
    const found = fs.existsSync(path) ? fs.realpathSync(path) : undefined
    return found === undefined || writable.some((folder) => isWithin(found, folder)) ? undefined : found
  }
  // Deno reads folders of `/dev` only with all permissions.
  const base = usable(tmpdir()) ?? usable("/var/tmp") ?? usable("/dev/shm")
  if (base === undefined) {
    throw new OptionError("writable", "IsolatedShell: writable leaves no temporary folder for the leaf: set TMPDIR")
  }
  const directory = fs.mkdtempSync(`${base}/${leafFolderPrefix}`)
  fs.mkdirSync(`${directory}/root`)
  fs.writeFileSync(`${directory}/filter`, filter)
  let count = 0
  return {
    directory,
    next: () => {
      const path = `${directory}/${count++}`
      return {
        path,
        take: () => {
          try {
            const fd = fs.openSync(path, "r")
            const bytes = new Uint8Array(maxStatusBytes)
            const length = fs.readSync(fd, bytes)
            fs.closeSync(fd)
            fs.unlinkSync(path)
            return new TextDecoder("latin1").decode(bytes.subarray(0, length))
          } catch {
            return ""
          }
        },
      }
    },
    release: () => fs.rmSync(directory, { recursive: true, force: true }),
  }
}
