/** Reads and writes whole files for utilities that send HTTP requests. */
import { concatBytes } from "../../../base/bytes.ts"
import { Errno } from "../../Errno.ts"
import { FileType } from "../../Stat.ts"
import type { System } from "../../System.ts"
import { UtilityExit } from "../shared/UtilityExit.ts"

/** Maximum bytes of a file that is held in memory: data of a request, a configuration, cookies. */
export const maxDataBytes = 16_777_216

/** Opens a file to read, `-` for standard input. Returns an errno if it cannot. */
export const openToRead = (system: System, path: string): number => {
  if (path === "-") return system.dup(0, 3)
  const stat = system.stat(path)
  if (typeof stat === "object" && stat.type === FileType.directory) return -Errno.EISDIR
  return system.open(path, { read: true })
}

/** Reads a whole file, `-` for standard input. Returns an errno if it cannot; fails if the file is too large. */
export const readFile = async (system: System, path: string): Promise<Uint8Array | number> => {
  const fd = openToRead(system, path)
  if (fd < 0) return fd
  const pieces: Array<Uint8Array> = []
  let length = 0
  try {
    for (;;) {
      const into = new Uint8Array(65_536)
      const count = await system.read(fd, into)
      if (count < 0) return count
      if (count === 0) return concatBytes(pieces, length)
      length += count
      if (length > maxDataBytes) {
        throw new UtilityExit(27, `${path}: more than ${maxDataBytes} bytes would be held in memory`)
      }
      pieces.push(into.subarray(0, count))
      await system.yield()
    }
  } finally {
    system.close(fd)
  }
}

/** Makes the folders above a path. Returns 0 or an errno. */
export const makeParents = (system: System, path: string): number => {
  const parts = path.split("/").slice(0, -1)
  for (let count = 1; count <= parts.length; count++) {
    const folder = parts.slice(0, count).join("/")
    if (folder === "") continue
    const made = system.makeDirectory(folder)
    if (made < 0 && made !== -Errno.EEXIST) return made
  }
  return 0
}
