/**
 * Implements SQLite's file system by the system calls of a process, so that databases are files of the sandbox. Source:
 * sqlite.org/vfs.html.
 */
import { Errno } from "../../Errno.ts"
import type { System } from "../../System.ts"
import { resolvePath } from "../../utilities/shared/paths.ts"
import { Code, type Engine, OpenFlag, type Pointer } from "./Engine.ts"

interface OpenFile {
  readonly fd: number
  readonly path: string
  readonly deleteOnClose: boolean
  lock: number
}

const reserved = 2
const exclusive = 4
const julianEpochMillis = 210_866_760_000_000

/** Installs the file system as `kernel`, the default of the engine. */
export const installKernelVfs = (engine: Engine, system: System): void => {
  const { capi, wasm } = engine
  const files = new Map<Pointer, OpenFile>()
  let temporary = 0

  const fileOf = (file: Pointer): OpenFile | undefined => files.get(file)
  const text = (pointer: Pointer): string => wasm.cstrToJs(pointer) ?? ""

  /** The path of the writer's lock, a file with its process id. The lock of a killed process is taken over. */
  const lockPath = (path: string): string => `${path}-lock`
  const readLock = (path: string): readonly [pid: number, isExclusive: boolean] | undefined => {
    const fd = system.open(lockPath(path), { read: true })
    if (fd < 0) return undefined
    const bytes = new Uint8Array(32)
    const count = system.readAt(fd, 0, bytes)
    system.close(fd)
    const [pid = "", level] = new TextDecoder().decode(
      bytes.subarray(0, Math.max(0, count)),
    ).split(" ")
    if (Number(pid) !== system.pid && system.kill(Number(pid), 0) < 0) {
      system.unlink(lockPath(path))
      return undefined
    }
    return [Number(pid), level === "exclusive"]
  }
  const writeLock = (path: string, isExclusive: boolean): boolean => {
    const fd = system.open(lockPath(path), { write: true, create: true, truncate: true })
    if (fd < 0) return false
    const written = system.writeAt(
      fd,
      0,
      new TextEncoder().encode(`${system.pid} ${isExclusive ? "exclusive" : "reserved"}`),
    )
    system.close(fd)
    return written > 0
  }

  const io = new capi.sqlite3_io_methods()
  const vfs = new capi.sqlite3_vfs()
  io.$iVersion = 1
  vfs.$iVersion = 2
  vfs.$szOsFile = capi.sqlite3_file.structInfo.sizeof
  vfs.$mxPathname = 4096
  vfs.$zName = wasm.allocCString("kernel")
  const at = (offset: bigint | number): number => Number(offset)

  const ioMethods = {
    xClose: (file: Pointer): number => {
      const open = fileOf(file)
      if (open === undefined) return Code.ok
      if (open.lock >= reserved) system.unlink(lockPath(open.path))
      files.delete(file)
      system.close(open.fd)
      if (open.deleteOnClose) system.unlink(open.path)
      return Code.ok
    },
    xRead: (file: Pointer, into: Pointer, length: number, offset: bigint): number => {
      const open = fileOf(file)
      if (open === undefined) return Code.ioError
      const target = wasm.heap8u().subarray(into, into + length)
      let got = 0
      while (got < length) {
        const count = system.readAt(open.fd, at(offset) + got, target.subarray(got))
        if (count < 0) return Code.ioError
        if (count === 0) break
        got += count
      }
      if (got === length) return Code.ok
      target.fill(0, got)
      return Code.shortRead
    },
    xWrite: (file: Pointer, from: Pointer, length: number, offset: bigint): number => {
      const open = fileOf(file)
      if (open === undefined) return Code.ioError
      const source = wasm.heap8u().slice(from, from + length)
      for (let done = 0; done < length;) {
        const count = system.writeAt(open.fd, at(offset) + done, source.subarray(done))
        if (count <= 0) return count === -Errno.ENOSPC ? 13 : Code.ioError
        done += count
      }
      return Code.ok
    },
    xTruncate: (file: Pointer, size: bigint): number => {
      const open = fileOf(file)
      return open === undefined || system.truncate(open.fd, at(size)) < 0 ? Code.ioError : Code.ok
    },
    xSync: (file: Pointer): number => {
      const open = fileOf(file)
      if (open !== undefined) system.sync(open.fd)
      return Code.ok
    },
    xFileSize: (file: Pointer, out: Pointer): number => {
      const stat = system.fstat(fileOf(file)?.fd ?? -1)
      if (typeof stat === "number") return Code.ioError
      wasm.poke64(out, BigInt(stat.size))
      return Code.ok
    },
    xLock: (file: Pointer, level: number): number => {
      const open = fileOf(file)
      if (open === undefined || open.lock >= level) return Code.ok
      const held = readLock(open.path)
      const isOther = held !== undefined && held[0] !== system.pid
      if (isOther && (level >= reserved || held[1])) return Code.busy
      if (level >= reserved && !writeLock(open.path, level >= exclusive)) return Code.readOnly
      open.lock = level
      return Code.ok
    },
    xUnlock: (file: Pointer, level: number): number => {
      const open = fileOf(file)
      if (open === undefined) return Code.ok
      if (open.lock >= reserved && level < reserved) system.unlink(lockPath(open.path))
      open.lock = level
      return Code.ok
    },
    xCheckReservedLock: (file: Pointer, out: Pointer): number => {
      const open = fileOf(file)
      wasm.poke32(out, open !== undefined && readLock(open.path) !== undefined ? 1 : 0)
      return Code.ok
    },
    xFileControl: (): number => Code.notFound,
    xSectorSize: (): number => 4096,
    xDeviceCharacteristics: (): number => 0,
  }

  const vfsMethods = {
    xOpen: (_vfs: Pointer, name: Pointer, file: Pointer, flags: number, outFlags: Pointer): number => {
      const path = name === 0 ? `/tmp/sqlite-${system.pid}-${temporary++}` : text(name)
      const isWritable = (flags & OpenFlag.readWrite) !== 0
      const create = (flags & OpenFlag.create) !== 0
      let fd = system.open(path, {
        read: true,
        write: isWritable,
        create,
        exclusive: (flags & OpenFlag.exclusive) !== 0 && create,
      })
      let opened = flags
      if (fd < 0 && isWritable && (fd === -Errno.EACCES || fd === -Errno.EROFS)) {
        fd = system.open(path, { read: true })
        opened = flags & ~OpenFlag.readWrite & ~OpenFlag.create | OpenFlag.readOnly
      }
      if (fd < 0) return Code.cannotOpen
      files.set(file, { fd, path, deleteOnClose: name === 0 || (flags & OpenFlag.deleteOnClose) !== 0, lock: 0 })
      if (outFlags !== 0) wasm.poke32(outFlags, opened)
      const struct = new capi.sqlite3_file(file)
      struct.$pMethods = io.pointer
      struct.dispose()
      return Code.ok
    },
    xDelete: (_vfs: Pointer, name: Pointer): number => {
      const removed = system.unlink(text(name))
      return removed >= 0 || removed === -Errno.ENOENT ? Code.ok : Code.ioError
    },
    xAccess: (_vfs: Pointer, name: Pointer, flags: number, out: Pointer): number => {
      const stat = system.stat(text(name))
      // Bit 1 asks whether it can be written.
      const isThere = typeof stat === "object" && (flags !== 1 || (stat.mode & 0o200) !== 0)
      wasm.poke32(out, isThere ? 1 : 0)
      return Code.ok
    },
    xFullPathname: (_vfs: Pointer, name: Pointer, length: number, out: Pointer): number => {
      const path = resolvePath(system, text(name), "all")
      const bytes = new TextEncoder().encode(`${typeof path === "string" ? path : text(name)}\0`)
      if (bytes.length > length) return Code.cannotOpen
      wasm.heap8u().set(bytes, out)
      return Code.ok
    },
    xGetLastError: (): number => 0,
    xCurrentTime: (_vfs: Pointer, out: Pointer): number => {
      wasm.poke64f(out, (Number(system.now() / 1_000_000n) + julianEpochMillis) / 86_400_000)
      return Code.ok
    },
    xCurrentTimeInt64: (_vfs: Pointer, out: Pointer): number => {
      wasm.poke64(out, system.now() / 1_000_000n + BigInt(julianEpochMillis))
      return Code.ok
    },
    xRandomness: (_vfs: Pointer, length: number, out: Pointer): number => {
      const bytes = new Uint8Array(length)
      system.random(bytes)
      wasm.heap8u().set(bytes, out)
      return length
    },
    xSleep: (_vfs: Pointer, micros: number): number => micros,
  }
  engine.vfs.installVfs({
    io: { struct: io, methods: ioMethods },
    vfs: { struct: vfs, methods: vfsMethods, asDefault: true },
  })
}
