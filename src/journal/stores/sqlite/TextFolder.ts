/**
 * The folder beside a SQLite journal with the text files that hold its long bodies: opens, reads, erases, syncs and
 * removes them.
 *
 * A file that is not a regular one, such as a planted link or FIFO, is never followed, read or written.
 *
 * @module
 */
import type { Stats } from "node:fs"
import { JournalError } from "../../JournalError.ts"
import { fileErrorCode } from "./errors.ts"
import type { Builtins } from "./loadBuiltins.ts"
import { decodeStoredText } from "./textFrame.ts"
import type { TextRef } from "./textRef.ts"

const zeros = new Uint8Array(65_536)

/** Whether there is no folder, or something else has its name. */
const isNoFolder = (error: unknown): boolean => ["ENOENT", "ENOTDIR", "ELOOP"].includes(fileErrorCode(error) ?? "")

/** The text files of one database. Its methods throw the file system's errors. */
export class TextFolder {
  readonly #builtins: Builtins
  readonly #database: string
  #path: string | undefined
  /** The file that was read last. */
  #reading: { readonly file: number; readonly descriptor: number } | undefined

  constructor(builtins: Builtins, database: string) {
    this.#builtins = builtins
    this.#database = database
  }

  /** Beside the database itself, as SQLite's logs are, also if it was opened through a link. */
  get path(): string {
    return this.#path ??= `${this.#resolved}-texts`
  }

  get #resolved(): string {
    try {
      return this.#builtins.fs.realpathSync(this.#database)
    } catch {
      return this.#database
    }
  }

  pathOf(file: number): string {
    return this.#builtins.path.join(this.path, String(file).padStart(8, "0"))
  }

  /** The numbers of all files. */
  list(): ReadonlyArray<number> {
    try {
      return this.#builtins.fs.readdirSync(this.path).filter((name) => /^\d{8}$/.test(name)).map(Number)
    } catch (error) {
      if (isNoFolder(error)) return []
      throw error
    }
  }

  /** The length of a file; `undefined` if there is none, or something else has its name. */
  sizeOf(file: number): number | undefined {
    const stat = this.#stat(file)
    return stat?.isFile() === true ? stat.size : undefined
  }

  /** What has the name of a file; a link is not followed. */
  #stat(file: number): Stats | undefined {
    try {
      return this.#builtins.fs.lstatSync(this.pathOf(file), { throwIfNoEntry: false })
    } catch (error) {
      if (isNoFolder(error)) return undefined
      throw error
    }
  }

  /** The length of all files. */
  get size(): number {
    return this.list().reduce((sum, file) => sum + (this.sizeOf(file) ?? 0), 0)
  }

  /** Opens a file; `undefined` if there is none, or something else has its name. */
  open(file: number, mode: "read" | "write" | "append"): number | undefined {
    const { fs } = this.#builtins
    if (this.sizeOf(file) === undefined) return undefined
    const { O_APPEND, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_WRONLY } = fs.constants
    const access = mode === "read" ? O_RDONLY : mode === "write" ? O_WRONLY : O_WRONLY | O_APPEND
    let descriptor
    try {
      descriptor = fs.openSync(this.pathOf(file), access | O_NOFOLLOW | O_NONBLOCK)
    } catch (error) {
      if (["ENOENT", "ELOOP", "ENXIO"].includes(fileErrorCode(error) ?? "")) return undefined
      throw error
    }
    if (fs.fstatSync(descriptor).isFile()) return descriptor
    fs.closeSync(descriptor)
    return undefined
  }

  /**
   * Creates a file to append to; `undefined` if anything has its name. It gets the mode and the group of the database, as
   * SQLite's logs do: a journal that a group shares, or that root has written, stays usable.
   */
  create(file: number): number | undefined {
    const { fs } = this.#builtins
    const database = fs.statSync(this.#database)
    this.#createFolder(database)
    const { O_APPEND, O_CREAT, O_EXCL, O_WRONLY } = fs.constants
    let descriptor
    try {
      descriptor = fs.openSync(this.pathOf(file), O_WRONLY | O_APPEND | O_CREAT | O_EXCL, 0o600)
    } catch (error) {
      if (fileErrorCode(error) === "EEXIST") return undefined
      throw error
    }
    this.#share(descriptor, database.mode & 0o666, database)
    return descriptor
  }

  #createFolder(database: Stats): void {
    const { fs } = this.#builtins
    const { O_DIRECTORY = 0, O_NOFOLLOW = 0, O_RDONLY } = fs.constants
    try {
      fs.mkdirSync(this.path, { mode: 0o700 })
    } catch (error) {
      if (fileErrorCode(error) !== "EEXIST") throw error
      if (fs.lstatSync(this.path).isDirectory()) return
      throw JournalError.because(
        { _tag: "Failed", code: "ENOTDIR" },
        `journal: nothing was written to ${this.#database}: long entries need the folder ${this.path}, ` +
          "and something else has its name (ENOTDIR)",
        error,
      )
    }
    let descriptor
    try {
      descriptor = fs.openSync(this.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    } catch {
      // Windows does not open directories.
      return
    }
    const mode = database.mode & 0o666
    // Reading a folder takes the right to search it.
    this.#share(descriptor, mode | (mode & 0o444) >> 2, database)
    this.close(descriptor)
  }

  /** Gives a new file or folder the mode of the database, its group, and if the process is root's, its owner. */
  #share(descriptor: number, mode: number, { gid, uid }: Stats): void {
    const { fs } = this.#builtins
    // Not every file system has owners and modes, and not every process may set them.
    const attempt = (work: () => void): boolean => {
      try {
        work()
        return true
      } catch {
        return false
      }
    }
    const own = fs.fstatSync(descriptor)
    if (own.uid !== uid || own.gid !== gid) {
      if (!attempt(() => fs.fchownSync(descriptor, uid, gid))) attempt(() => fs.fchownSync(descriptor, own.uid, gid))
    }
    // New files in a folder may inherit its group.
    const inherited = own.mode & 0o2000
    if ((own.mode & 0o777) !== mode) attempt(() => fs.fchmodSync(descriptor, mode | inherited))
  }

  /** Reads a body; `undefined` if the file does not hold it. The file stays open for the next one. */
  read({ at, bytes: length, file }: TextRef): string | undefined {
    if (this.#reading?.file !== file) {
      this.release()
      const descriptor = this.open(file, "read")
      if (descriptor === undefined) return undefined
      this.#reading = { file, descriptor }
    }
    // Allocates no more than the file can hold, whatever length its row names.
    if (at + length > this.#builtins.fs.fstatSync(this.#reading.descriptor).size) return undefined
    const bytes = new Uint8Array(length)
    for (let done = 0; done < length;) {
      const count = this.#builtins.fs.readSync(this.#reading.descriptor, bytes, done, length - done, at + done)
      if (count === 0) return undefined
      done += count
    }
    // An erased body, or one that a power failure lost, is zeros; no body begins with one.
    return bytes[0] === 0 ? undefined : decodeStoredText(bytes)
  }

  /** Closes the file that was read last. */
  release(): void {
    if (this.#reading !== undefined) this.close(this.#reading.descriptor)
    this.#reading = undefined
  }

  /** Overwrites bodies in a file with zeros, on the disk too. */
  erase(file: number, refs: ReadonlyArray<TextRef>): void {
    const { fs } = this.#builtins
    const descriptor = this.open(file, "write")
    if (descriptor === undefined) return
    try {
      for (const { at, bytes } of refs) {
        for (let done = 0; done < bytes;) {
          done += fs.writeSync(descriptor, zeros, 0, Math.min(zeros.length, bytes - done), at + done)
        }
      }
      fs.fsyncSync(descriptor)
    } finally {
      this.close(descriptor)
    }
  }

  /** Removes a file, or what has its name but a folder; the folder of all files too if it is empty. */
  remove(file: number): void {
    const { fs } = this.#builtins
    const stat = this.#stat(file)
    if (stat !== undefined && !stat.isDirectory()) fs.rmSync(this.pathOf(file), { force: true })
    try {
      fs.rmdirSync(this.path)
    } catch {
      // It holds other files.
    }
  }

  /** Waits until the disk has a file, if there is one. */
  sync(file: number): void {
    const descriptor = this.open(file, "append")
    if (descriptor === undefined) return
    try {
      this.#builtins.fs.fsyncSync(descriptor)
    } finally {
      this.close(descriptor)
    }
  }

  /** Waits until the disk has the names of the files. */
  syncNames(): void {
    const { fs, path } = this.#builtins
    for (const directory of [this.path, path.dirname(this.path)]) {
      let descriptor
      try {
        descriptor = fs.openSync(directory, "r")
      } catch {
        // Windows does not open directories.
        continue
      }
      try {
        fs.fsyncSync(descriptor)
      } catch (error) {
        // Some file systems do not sync directories.
        if (["EIO", "ENOSPC", "EDQUOT"].includes(fileErrorCode(error) ?? "")) throw error
      } finally {
        this.close(descriptor)
      }
    }
  }

  close(descriptor: number): void {
    this.#builtins.fs.closeSync(descriptor)
  }

  /** Appends bytes to an open file. */
  append(descriptor: number, bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length;) {
      done += this.#builtins.fs.writeSync(descriptor, bytes, done, bytes.length - done)
    }
  }

  truncate(descriptor: number, size: number): void {
    this.#builtins.fs.ftruncateSync(descriptor, size)
  }
}
