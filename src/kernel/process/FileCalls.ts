/** Implements the system calls of a process on paths and descriptors, which never wait. */
import { Errno } from "../Errno.ts"
import type { FileSystem, OpenOptions, Resolution } from "../FileSystem.ts"
import type { Directory } from "../OpenFile.ts"
import type { DirectoryEntry, Stat } from "../Stat.ts"
import type { Descriptor } from "../wasi/WasiProcess.ts"
import type { FdTable } from "./FdTable.ts"
import type { ProgramFiles } from "./ProgramFiles.ts"
import { StaticFile } from "./StaticFile.ts"

export abstract class FileCalls {
  readonly files: FileSystem
  protected readonly fds: FdTable
  readonly #programs: ProgramFiles
  #directory: Directory
  #umask: number

  constructor(files: FileSystem, programs: ProgramFiles, fds: FdTable, directory: Directory, umask: number) {
    this.files = files.withDescriptors?.(fds) ?? files
    this.#programs = programs
    this.fds = fds
    this.#directory = directory
    this.#umask = umask
  }

  /** Called at the start of each call: runs signal handlers, and throws if the process has ended. */
  protected abstract enter(): void

  get directory(): Directory {
    return this.#directory
  }

  get cwd(): string {
    return this.#directory.path
  }

  changeDirectory(path: string): number {
    this.enter()
    const directory = this.files.directory(this.#directory, path)
    if (typeof directory === "number") return directory
    this.#directory = directory
    return 0
  }

  umask(mask?: number): number {
    const old = this.#umask
    if (mask !== undefined) this.#umask = mask & 0o777
    return old
  }

  open(path: string, options: OpenOptions): number {
    this.enter()
    const mode = (options.mode ?? 0o666) & ~this.#umask
    const found = this.files.open(this.#directory, path, { ...options, mode })
    const isProgram = found === -Errno.ENOENT && typeof this.#programs.stat(this.cwd, path) === "object"
    const file = !isProgram ? found : options.write === true ? -Errno.EACCES : new StaticFile(new Uint8Array())
    if (typeof file === "number") return file
    const fd = this.fds.addFile(file)
    if (fd < 0) file.release()
    return fd
  }

  stat(path: string, options?: Resolution): Stat | number {
    this.enter()
    const found = this.files.stat(this.#directory, path, options)
    return found === -Errno.ENOENT ? this.#programs.stat(this.cwd, path) : found
  }

  list(path: string): ReadonlyArray<DirectoryEntry> | number {
    this.enter()
    const directory = this.files.directory(this.#directory, path)
    const found = typeof directory === "number" ? directory : this.files.list(directory)
    return this.#programs.list(this.cwd, path, found)
  }

  makeDirectory(path: string, mode: number = 0o777): number {
    this.enter()
    return this.files.makeDirectory(this.#directory, path, mode & ~this.#umask)
  }

  makeFifo(path: string, mode: number = 0o666): number {
    this.enter()
    return this.files.makeFifo(this.#directory, path, mode & ~this.#umask)
  }

  removeDirectory(path: string): number {
    this.enter()
    return this.files.removeDirectory(this.#directory, path)
  }

  unlink(path: string): number {
    this.enter()
    return this.files.unlink(this.#directory, path)
  }

  rename(from: string, to: string): number {
    this.enter()
    return this.files.rename(this.#directory, from, this.#directory, to)
  }

  link(from: string, to: string): number {
    this.enter()
    return this.files.link(this.#directory, from, this.#directory, to, { follow: false })
  }

  symlink(target: string, path: string): number {
    this.enter()
    return this.files.symlink(target, this.#directory, path)
  }

  readlink(path: string): string | number {
    this.enter()
    return this.files.readlink(this.#directory, path)
  }

  setMode(path: string, mode: number): number {
    this.enter()
    return this.files.setMode(this.#directory, path, mode)
  }

  setTimes(path: string, accessed: bigint | undefined, modified: bigint | undefined, options?: Resolution): number {
    this.enter()
    return this.files.setTimes(this.#directory, path, accessed, modified, options)
  }

  fstat(fd: number): Stat | number {
    this.enter()
    return this.fds.file(fd)?.stat() ?? -Errno.EBADF
  }

  readAt(fd: number, offset: number, into: Uint8Array): number {
    this.enter()
    return this.fds.file(fd)?.readAt(offset, into) ?? -Errno.EBADF
  }

  writeAt(fd: number, offset: number, from: Uint8Array): number {
    this.enter()
    return this.fds.file(fd)?.writeAt(offset, from) ?? -Errno.EBADF
  }

  seek(fd: number, offset: number, whence: number): number {
    this.enter()
    return this.fds.file(fd)?.seek(offset, whence) ?? -Errno.EBADF
  }

  truncate(fd: number, size: number): number {
    this.enter()
    return this.fds.file(fd)?.truncate(size) ?? -Errno.EBADF
  }

  sync(fd: number): number {
    this.enter()
    return this.fds.file(fd)?.sync() ?? -Errno.EBADF
  }

  close(fd: number): number {
    this.enter()
    return this.fds.close(fd)
  }

  dup(fd: number, from?: number): number {
    this.enter()
    return this.fds.dup(fd, from)
  }

  dup2(fd: number, to: number): number {
    this.enter()
    return this.fds.dup2(fd, to)
  }

  descriptors(): ReadonlyArray<number> {
    return this.fds.numbers()
  }

  descriptor(fd: number): Descriptor | undefined {
    return this.fds.row(fd)
  }

  addDescriptor(descriptor: Descriptor, from?: number): number {
    this.enter()
    return this.fds.add(descriptor, from)
  }

  renumber(from: number, to: number): number {
    this.enter()
    return this.fds.renumber(from, to)
  }
}
