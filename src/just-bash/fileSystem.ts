/** Implements just-bash's file systems, with errors as of `node:fs`, over the volumes of the sandbox. */
import { concatBytes } from "../base/bytes.ts"
import { OptionError } from "../base/OptionError.ts"
import { Errno, errnoName, errnoText } from "../kernel/Errno.ts"
import { devices } from "../kernel/fs/devices.ts"
import { makeFolders, readFile, writeFile } from "../kernel/fs/files.ts"
import { hostFolder } from "../kernel/fs/HostFolder.ts"
import { memory } from "../kernel/fs/memory.ts"
import type { Volume } from "../kernel/fs/Node.ts"
import { overlay, readOnly } from "../kernel/fs/overlay.ts"
import { VirtualFileSystem } from "../kernel/fs/VirtualFileSystem.ts"
import { Kernel } from "../kernel/mod.ts"
import { BufferFile } from "../kernel/process/BufferFile.ts"
import { systemClock } from "../kernel/process/KernelClock.ts"
import { NullFile } from "../kernel/process/NullFile.ts"
import { FileType, type Stat } from "../kernel/Stat.ts"
import { cp, mv, realpath, rm } from "../kernel/utilities/Utilities.ts"
import { decodeBytes, encodeText } from "./encoding.ts"
import type { BufferEncoding, FileEncoding, FsStat, InitialFiles } from "./types.ts"

/** Throws an errno as `node:fs` does. */
const fail = (call: string, path: string, errno: number): never => {
  const code = errnoName(errno)
  throw Object.assign(new Error(`${code}: ${errnoText(errno).toLowerCase()}, ${call} '${path}'`), { code })
}

const orFail = <A extends object | string>(call: string, path: string, answer: A | number): A =>
  typeof answer === "number" ? fail(call, path, answer) : answer

const toKind = (type: FileType): Pick<FsStat, "isDirectory" | "isFile" | "isSymbolicLink"> => ({
  isFile: type === FileType.regularFile,
  isDirectory: type === FileType.directory,
  isSymbolicLink: type === FileType.symbolicLink,
})

const toStat = ({ mode, modified, size, type }: Stat): FsStat => ({
  ...toKind(type),
  mode,
  size,
  mtime: new Date(Number(modified / 1_000_000n)),
})

/** A promise of what a synchronous call returns or throws. */
const settle = <A>(call: () => A): Promise<A> => new Promise((resolve) => resolve(call()))

const encodingOf = (encoded: FileEncoding | undefined): BufferEncoding | undefined =>
  typeof encoded === "object" ? encoded.encoding ?? undefined : encoded

/** Limits of {@link InMemoryFs}. */
export interface InMemoryFsOptions {
  /** Bytes of all files. Default: 1 GiB. */
  readonly maxTotalBytes?: number | undefined
}

/** Files in memory, with the methods of just-bash's `IFileSystem`. Its errors have a `code`, as those of `node:fs`. */
export class InMemoryFs {
  /** The file system of the kernel: its calls are synchronous and return errnos. */
  readonly fileSystem: VirtualFileSystem

  /** Makes a file system with initial files. Throws an `OptionError`, or the error of a volume that cannot be mounted. */
  constructor(
    files: InitialFiles = {},
    { maxTotalBytes }: InMemoryFsOptions = {},
    mounts: Readonly<Record<string, Volume>> = {},
  ) {
    const volumes = { "/": memory({ maxBytes: maxTotalBytes }), "/dev": devices(), ...mounts }
    this.fileSystem = VirtualFileSystem.make({ mounts: volumes, now: systemClock.now })
    makeFolders(this.fileSystem, "/tmp")
    for (const [path, file] of Object.entries(files)) {
      const { content, mode, mtime } = typeof file === "string" || file instanceof Uint8Array
        ? { content: file, mode: undefined, mtime: undefined }
        : file
      if (typeof content !== "string" && !(content instanceof Uint8Array)) {
        throw new OptionError("files", `just-bash: files: ${path}: write text or bytes; a function is not supported`)
      }
      const at = this.resolvePath("/", path)
      this.#check("open", at, writeFile(this.fileSystem, at, content, mode))
      if (mtime !== undefined) this.#touch(at, mtime, mtime)
    }
  }

  /** Reads a file as text, UTF-8 by default. */
  async readFile(path: string, encoding?: FileEncoding): Promise<string> {
    return decodeBytes(await this.readFileBuffer(path), encodingOf(encoding))
  }

  /** Reads a file with one character for each byte. */
  readFileBytes(path: string): Promise<string> {
    return this.readFile(path, "latin1")
  }

  /** Reads the bytes of a file, at most 256 MiB. */
  readFileBuffer(path: string): Promise<Uint8Array> {
    return settle(() => orFail("open", path, readFile(this.fileSystem, path, 268_435_456)))
  }

  /** Writes a file. Missing folders on the way are made. */
  writeFile(path: string, content: string | Uint8Array, encoding?: FileEncoding): Promise<void> {
    return settle(() => {
      const bytes = typeof content === "string" ? encodeText(content, encodingOf(encoding)) : content
      this.#check("open", path, writeFile(this.fileSystem, path, bytes))
    })
  }

  /** Appends to a file, which is made if it does not exist. */
  async appendFile(path: string, content: string | Uint8Array, encoding?: FileEncoding): Promise<void> {
    const before = await this.exists(path) ? await this.readFileBuffer(path) : new Uint8Array()
    const more = typeof content === "string" ? encodeText(content, encodingOf(encoding)) : content
    await this.writeFile(path, concatBytes([before, more]))
  }

  /** Whether a path exists. */
  exists(path: string): Promise<boolean> {
    return settle(() => typeof this.fileSystem.stat(this.fileSystem.root, path) !== "number")
  }

  /** Returns the type, mode, size and time of a file. */
  stat(path: string): Promise<FsStat> {
    return settle(() => toStat(orFail("stat", path, this.fileSystem.stat(this.fileSystem.root, path))))
  }

  /** As {@link stat}, of a symbolic link itself. */
  lstat(path: string): Promise<FsStat> {
    return settle(() =>
      toStat(orFail("lstat", path, this.fileSystem.stat(this.fileSystem.root, path, { follow: false })))
    )
  }

  /** Makes a folder; with `recursive` also missing ones on the way, and it may exist. */
  mkdir(path: string, { recursive = false }: { readonly recursive?: boolean | undefined } = {}): Promise<void> {
    return settle(() => {
      const { fileSystem } = this
      this.#check(
        "mkdir",
        path,
        recursive ? makeFolders(fileSystem, path) : fileSystem.makeDirectory(fileSystem.root, path, 0o755),
      )
    })
  }

  /** Lists the names in a folder. */
  async readdir(path: string): Promise<Array<string>> {
    return (await this.readdirWithFileTypes(path)).map(({ name }) => name)
  }

  /** Lists the names in a folder with their types. */
  readdirWithFileTypes(
    path: string,
  ): Promise<Array<Omit<FsStat, "mode" | "size" | "mtime"> & { readonly name: string }>> {
    return settle(() => {
      const folder = orFail("scandir", path, this.fileSystem.directory(this.fileSystem.root, path))
      return orFail("scandir", path, this.fileSystem.list(folder)).map(({ name, type }) => ({ name, ...toKind(type) }))
    })
  }

  /** Removes a file, an empty folder, or with `recursive` a folder with everything in it. */
  async rm(path: string, options: { readonly recursive?: boolean; readonly force?: boolean } = {}): Promise<void> {
    const { fileSystem } = this
    const stat = fileSystem.stat(fileSystem.root, path, { follow: false })
    if (stat === -Errno.ENOENT && options.force === true) return
    const isFolder = orFail("rm", path, stat).type === FileType.directory
    if (isFolder && options.recursive === true) return void await this.#run("rm", "-r", path)
    this.#check(
      "rm",
      path,
      isFolder ? fileSystem.removeDirectory(fileSystem.root, path) : fileSystem.unlink(fileSystem.root, path),
    )
  }

  /** Copies a file, or with `recursive` a folder. */
  async cp(
    source: string,
    target: string,
    { recursive = false }: { readonly recursive?: boolean } = {},
  ): Promise<void> {
    const { type } = orFail("cp", source, this.fileSystem.stat(this.fileSystem.root, source))
    if (type === FileType.directory && !recursive) fail("cp", source, -Errno.EISDIR)
    await this.#run("cp", "-T", ...(recursive ? ["-r"] : []), source, target)
  }

  /** Moves a file or a folder. */
  async mv(source: string, target: string): Promise<void> {
    orFail("mv", source, this.fileSystem.stat(this.fileSystem.root, source, { follow: false }))
    await this.#run("mv", "-T", source, target)
  }

  /** Sets permission bits. */
  chmod(path: string, mode: number): Promise<void> {
    return settle(() => this.#check("chmod", path, this.fileSystem.setMode(this.fileSystem.root, path, mode)))
  }

  /** Sets times. */
  utimes(path: string, accessed: Date, modified: Date): Promise<void> {
    return settle(() => this.#touch(path, accessed, modified))
  }

  /** Makes a symbolic link. */
  symlink(target: string, path: string): Promise<void> {
    return settle(() => this.#check("symlink", path, this.fileSystem.symlink(target, this.fileSystem.root, path)))
  }

  /** Makes a hard link. */
  link(source: string, path: string): Promise<void> {
    return settle(() =>
      this.#check("link", source, this.fileSystem.link(this.fileSystem.root, source, this.fileSystem.root, path))
    )
  }

  /** Returns the target of a symbolic link. */
  readlink(path: string): Promise<string> {
    return settle(() => orFail("readlink", path, this.fileSystem.readlink(this.fileSystem.root, path)))
  }

  /** Resolves the symbolic links of a path. */
  async realpath(path: string): Promise<string> {
    orFail("realpath", path, this.fileSystem.stat(this.fileSystem.root, path))
    return (await this.#run("realpath", path)).replace(/\n$/, "")
  }

  /** Joins two paths, without looking at the files. */
  resolvePath(base: string, path: string): string {
    const names: Array<string> = []
    for (const name of (path.startsWith("/") ? path : `${base}/${path}`).split("/")) {
      if (name === "..") names.pop()
      else if (name !== "" && name !== ".") names.push(name)
    }
    return `/${names.join("/")}`
  }

  /** Lists the paths of all files, folders and links. */
  getAllPaths(): Array<string> {
    const found = ["/"]
    for (const path of found) {
      const folder = this.fileSystem.directory(this.fileSystem.root, path, { follow: false })
      const entries = typeof folder === "number" ? [] : this.fileSystem.list(folder)
      for (const { name } of typeof entries === "number" ? [] : entries) {
        found.push(`${path === "/" ? "" : path}/${name}`)
      }
    }
    return found
  }

  #touch(path: string, accessed: Date, modified: Date): void {
    const [a, m] = [accessed, modified].map((time) => BigInt(time.getTime()) * 1_000_000n)
    this.#check("utimes", path, this.fileSystem.setTimes(this.fileSystem.root, path, a, m))
  }

  #check(call: string, path: string, answer: number): void {
    if (answer < 0) fail(call, path, answer)
  }

  /** Runs a utility on the files, which yields to other work on large trees. */
  async #run(name: "cp" | "mv" | "realpath" | "rm", ...args: ReadonlyArray<string>): Promise<string> {
    const kernel = Kernel.make({ fileSystem: this.fileSystem, programs: { cp, mv, realpath, rm } })
    const [out, err] = [new BufferFile(), new BufferFile()]
    const process = kernel.start({ program: name, args: [name, ...args], fds: { 0: new NullFile(), 1: out, 2: err } })
    if (typeof process === "number") return fail(name, args.join(" "), process)
    if ((await process.exited).exitCode !== 0) throw new Error(err.text.trim())
    return out.text
  }
}

/** Options of {@link OverlayFs}. */
export interface OverlayFsOptions {
  /** A folder of this machine. */
  readonly root: string
  /** Where it is mounted. Default: `/home/user/project`. */
  readonly mountPoint?: string | undefined
  /** Refuse changes. Default: `false`. */
  readonly readOnly?: boolean | undefined
}

/** A folder of this machine that is read; changes stay in memory. */
export class OverlayFs extends InMemoryFs {
  readonly #mountPoint: string

  /** Mounts the folder. Throws if it is not there. */
  constructor({ mountPoint = "/home/user/project", root, readOnly: refuse = false }: OverlayFsOptions) {
    super({}, {}, { [mountPoint]: (refuse ? readOnly : overlay)(hostFolder(root)) })
    this.#mountPoint = mountPoint
  }

  /** Returns the path of the mounted folder. */
  getMountPoint(): string {
    return this.#mountPoint
  }
}

/** A folder of this machine as the whole file system: changes are written to it. */
export class ReadWriteFs extends InMemoryFs {
  /** Mounts the folder. Throws if it is not there. */
  constructor({ root }: { readonly root: string }) {
    super({}, {}, { "/": hostFolder(root) })
  }
}
