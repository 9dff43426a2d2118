/** The file system that a script calls: system calls of its process, which return a value or a negative errno. */
import { concatBytes } from "../../../base/bytes.ts"
import { Errno, errnoName, errnoText } from "../../Errno.ts"
import { FileFlag } from "../../OpenFile.ts"
import { FileType, type Stat } from "../../Stat.ts"
import type { Later, System } from "../../System.ts"
import { resolvePath } from "../../utilities/shared/paths.ts"
import { bytesOf, type HostCalls, numberOf, textOf } from "./arguments.ts"
import type { Reply } from "./QuickJs.ts"
import type { ScriptOutput } from "./ScriptOutput.ts"

/** Bytes of a file that is read as a whole, and of one read. */
const maxFileBytes = 67_108_864
const OpenBit = { read: 1, write: 2, create: 4, exclusive: 8, truncate: 16, append: 32 } as const

const statText = (stat: Stat | number): string | number =>
  typeof stat === "number" ? stat : JSON.stringify({
    type: stat.type,
    dev: stat.device,
    ino: stat.inode,
    mode: stat.mode,
    nlink: stat.links,
    size: stat.size,
    atimeMs: Number(stat.accessed / 1000n) / 1000,
    mtimeMs: Number(stat.modified / 1000n) / 1000,
    ctimeMs: Number(stat.changed / 1000n) / 1000,
  })

/** The largest time of a `Date`: programs show the times of files as dates. */
const maxMillis = 8.64e15

const nanosOf = (millis: number): bigint => BigInt(Math.round(millis)) * 1_000_000n

export const hostFiles = (system: System, output: ScriptOutput, canWait: () => boolean): HostCalls => {
  const isFile = (fd: number): boolean => {
    const stat = system.fstat(fd)
    return typeof stat === "object" && stat.type === FileType.regularFile
  }
  const readOnce = async (fd: number, length: number): Promise<Uint8Array | number> => {
    // Input may be the answer to what was printed.
    await output.flush()
    const into = new Uint8Array(length)
    const count = await system.read(fd, into)
    return count < 0 ? count : into.subarray(0, count)
  }
  const readAll = async (fd: number): Promise<Reply> => {
    const parts: Array<Uint8Array> = []
    for (let length = 0;;) {
      const piece = await readOnce(fd, 65_536)
      if (typeof piece === "number") return piece
      if (piece.length === 0) return concatBytes(parts)
      parts.push(piece)
      length += piece.length
      if (length > maxFileBytes) return -Errno.EFBIG
    }
  }
  /** Reads a file without a wait. */
  const readAllAt = (fd: number): Reply => {
    const from = system.seek(fd, 0, 1)
    const stat = system.fstat(fd)
    if (from < 0) return from
    if (typeof stat === "number") return stat
    const bytes = new Uint8Array(Math.max(0, stat.size - from))
    let done = 0
    for (; done < bytes.length;) {
      const count = system.readAt(fd, from + done, bytes.subarray(done))
      if (count < 0) return count
      if (count === 0) break
      done += count
    }
    system.seek(fd, from + done, 0)
    return bytes.subarray(0, done)
  }
  return {
    errnoName: (errno) => errnoName(numberOf(errno)),
    errnoText: (errno) => errnoText(numberOf(errno)),
    errnoOf: (name) => -(new Map<string, number>(Object.entries(Errno)).get(textOf(name)) ?? Errno.EINVAL),
    open: (path, bits, mode) => {
      const has = (bit: number): boolean => (numberOf(bits) & bit) !== 0
      return system.open(textOf(path), {
        read: has(OpenBit.read),
        write: has(OpenBit.write),
        create: has(OpenBit.create),
        exclusive: has(OpenBit.exclusive),
        truncate: has(OpenBit.truncate),
        flags: has(OpenBit.append) ? FileFlag.append : 0,
        mode: numberOf(mode) & 0o777 & ~system.umask(),
      })
    },
    close: (fd) => system.close(numberOf(fd)),
    read: (fd, length, position) => {
      const most = numberOf(length)
      if (most < 0 || most > maxFileBytes) return -Errno.EINVAL
      const from = numberOf(fd)
      const isAtPosition = numberOf(position) >= 0
      if (!isAtPosition && !isFile(from)) return canWait() ? readOnce(from, most) : -Errno.EAGAIN
      const at = isAtPosition ? numberOf(position) : system.seek(from, 0, 1)
      const into = new Uint8Array(most)
      const count = at < 0 ? at : system.readAt(from, at, into)
      if (count === -Errno.EAGAIN && !isAtPosition && canWait()) return readOnce(from, most)
      if (count > 0 && !isAtPosition) system.seek(from, at + count, 0)
      return count < 0 ? count : into.subarray(0, count)
    },
    readAll: (fd) => {
      const stat = system.fstat(numberOf(fd))
      if (typeof stat === "object" && stat.size > maxFileBytes) return -Errno.EFBIG
      // Content that is not there yet is waited for.
      const found = isFile(numberOf(fd)) ? readAllAt(numberOf(fd)) : -Errno.EAGAIN
      return found === -Errno.EAGAIN && canWait() ? readAll(numberOf(fd)) : found
    },
    write: (fd, bytes, position): Later<Reply> => {
      const [to, data] = [numberOf(fd), bytesOf(bytes)]
      if (numberOf(position) >= 0) return system.writeAt(to, numberOf(position), data)
      if (!isFile(to)) return output.put(to, data)
      // A copy: a view does not outlive a wait.
      return system.write(to, data.slice())
    },
    print: (fd, text) => output.put(numberOf(fd), textOf(text)),
    stat: (path, follow) => statText(system.stat(textOf(path), { follow: follow !== false })),
    fstat: (fd) => statText(system.fstat(numberOf(fd))),
    list: (path) => {
      const found = system.list(textOf(path))
      return typeof found === "number" ? found : JSON.stringify(found.map(({ name, type }) => [name, type]))
    },
    mkdir: (path, mode) => system.makeDirectory(textOf(path), numberOf(mode) & 0o777),
    rmdir: (path) => system.removeDirectory(textOf(path)),
    unlink: (path) => system.unlink(textOf(path)),
    rename: (from, to) => system.rename(textOf(from), textOf(to)),
    link: (from, to) => system.link(textOf(from), textOf(to)),
    symlink: (target, path) => system.symlink(textOf(target), textOf(path)),
    readlink: (path) => system.readlink(textOf(path)),
    realpath: (path) => resolvePath(system, textOf(path), "none"),
    chmod: (path, mode) => system.setMode(textOf(path), numberOf(mode) & 0o777),
    utimes: (path, accessed, modified) =>
      typeof accessed === "number" && typeof modified === "number" &&
        Math.abs(accessed) <= maxMillis && Math.abs(modified) <= maxMillis
        ? system.setTimes(textOf(path), nanosOf(accessed), nanosOf(modified))
        : -Errno.EINVAL,
    truncate: (fd, size) => numberOf(size) < 0 ? -Errno.EINVAL : system.truncate(numberOf(fd), numberOf(size)),
    cwd: () => system.cwd,
    chdir: (path) => system.changeDirectory(textOf(path)),
    umask: (mask) => numberOf(mask) < 0 ? system.umask() : system.umask(numberOf(mask) & 0o777),
  }
}
