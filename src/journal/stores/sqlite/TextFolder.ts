/**
 * The folder beside a SQLite journal with the text files that hold its long bodies: opens, reads, erases, syncs and
 * removes them.
 *
 * A file that is not a regular one, such as a planted link or FIFO, is never followed, read or written.
 *
 * @module
 */
import { fileErrorCode } from "./errors.ts"
import type { Builtins } from "./nodeSqlite.ts"
import type { TextRef } from "./textRef.ts"

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

const zeros = new Uint8Array(65_536)

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
      if (fileErrorCode(error) === "ENOENT") return []
      throw error
    }
  }

  /** The length of a file; `undefined` if there is none, or something else has its name. */
  sizeOf(file: number): number | undefined {
    const stat = this.#builtins.fs.lstatSync(this.pathOf(file), { throwIfNoEntry: false })
    return stat?.isFile() === true ? stat.size : undefined
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

  /** Creates a file to append to, for its owner alone; `undefined` if anything has its name. */
  create(file: number): number | undefined {
    const { fs } = this.#builtins
    try {
      fs.mkdirSync(this.path, { mode: 0o700 })
    } catch (error) {
      if (fileErrorCode(error) !== "EEXIST" || !fs.lstatSync(this.path).isDirectory()) throw error
    }
    const { O_APPEND, O_CREAT, O_EXCL, O_WRONLY } = fs.constants
    try {
      return fs.openSync(this.pathOf(file), O_WRONLY | O_APPEND | O_CREAT | O_EXCL, 0o600)
    } catch (error) {
      if (fileErrorCode(error) === "EEXIST") return undefined
      throw error
    }
  }

  /** Reads a body; `undefined` if the file does not hold it. The file stays open for the next one. */
  read({ at, bytes: length, file }: TextRef): string | undefined {
    if (this.#reading?.file !== file) {
      this.release()
      const descriptor = this.open(file, "read")
      if (descriptor === undefined) return undefined
      this.#reading = { file, descriptor }
    }
    const bytes = new Uint8Array(length)
    for (let done = 0; done < length;) {
      const count = this.#builtins.fs.readSync(this.#reading.descriptor, bytes, done, length - done, at + done)
      if (count === 0) return undefined
      done += count
    }
    // An erased body, or one that a power failure lost, is zeros; no JSON begins with one.
    return bytes[0] === 0 ? undefined : decoder.decode(bytes)
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

  /** Removes a file, or what has its name; the folder too if it is empty. */
  remove(file: number): void {
    const { fs } = this.#builtins
    fs.rmSync(this.pathOf(file), { force: true })
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
