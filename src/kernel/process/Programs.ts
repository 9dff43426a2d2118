/** Declares the sources of programs, and finds the program that a name or path means. Source: execve(2), execvp(3). */
import { OptionError, showValue } from "../../base/OptionError.ts"
import { Errno } from "../Errno.ts"
import type { FileSystem } from "../FileSystem.ts"
import type { Directory } from "../OpenFile.ts"
import { FileType } from "../Stat.ts"
import type { Program } from "../System.ts"

/**
 * A compiled WASI module, or its bytes.
 *
 * @stability stable
 */
export type ModuleSource = WebAssembly.Module | Uint8Array<ArrayBuffer>

/**
 * The thread in which a WASM program runs: `"none"`, on the kernel's thread, in turn with the other processes;
 * `"worker"`, in a thread of its own, which can be ended even while it computes without making a call. A worker takes
 * 15 to 100 ms to start, and each call 15 to 35 µs.
 *
 * @stability stable
 */
export type Isolation = "none" | "worker"

/**
 * Folders that a WASI program gets at its start, from descriptor 3 on: paths by the names under which the program sees
 * them. A relative path starts at the program's working directory. Nothing outside of them can be reached, so without
 * `"/"` a program has only the named folders. A missing folder ends the program with a fault.
 *
 * Source: wasi_snapshot_preview1, `prestat`.
 *
 * @stability stable
 */
export type Preopens = Readonly<Record<string, string>>

/**
 * A WASI program with its isolation and preopens.
 *
 * @stability stable
 */
export interface WasmSource {
  /** The program. */
  readonly source: ModuleSource
  /**
   * The thread in which it runs. Default: the kernel's `isolate`. A worker needs the program as bytes, without threads of its
   * own.
   */
  readonly isolate?: Isolation | undefined
  /** Its preopens. Default: the kernel's. */
  readonly preopens?: Preopens | undefined
}

/**
 * A program: in TypeScript, a compiled WASI module, its bytes, or either with isolation and preopens.
 *
 * @stability stable
 */
export type ProgramSource = Program | ModuleSource | WasmSource

/** Whether a source is a {@link WasmSource}. */
export const isWasmSource = (source: ProgramSource): source is WasmSource =>
  typeof source === "object" && !(source instanceof Uint8Array) && "source" in source

/** Throws an `OptionError` for any other value: a misspelt isolation would have no effect. */
export const requireIsolation = (isolate: Isolation | undefined): void => {
  if (isolate === undefined || isolate === "none" || isolate === "worker") return
  throw new OptionError("isolate", `isolate: ${showValue(isolate)} is neither "none" nor "worker"`)
}

export interface ResolvedProgram {
  readonly path: string
  readonly source: ProgramSource
  /** Arguments inserted after the first: those of the interpreter line, and the script. */
  readonly script: ReadonlyArray<string>
}

export interface ProgramRequest {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly env: ReadonlyMap<string, string>
  readonly directory: Directory
}

export interface ProgramResolver {
  /** Names of the programs that appear in `/bin` and `/usr/bin`. */
  readonly names: ReadonlyArray<string>
  /** Returns the path that a name or path means, or an errno. */
  readonly which: (name: string, at: Directory, path?: string) => string | number
  /** Returns the program to start, or an errno. Called once for each start. */
  readonly resolve: (request: ProgramRequest) => ResolvedProgram | number
  /** Whether a name or path may not start. */
  readonly forbids: (name: string) => boolean
}

/** Folders in which the kernel's programs appear. */
export const programFolders: ReadonlySet<string> = new Set(["/bin", "/usr/bin"])
const defaultPath = "/usr/local/bin:/usr/bin:/bin"

/** Bytes of a file that determine its kind. Source: execve(2) "Interpreter scripts". */
const headBytes = 256
/** Maximum size of a program file in bytes: the whole file is read, and a sparse file may be large. */
const maxProgramBytes = 268_435_456
/** Maximum nesting of scripts whose interpreters are scripts. */
const maxInterpreterDepth = 4

export class Programs implements ProgramResolver {
  readonly #table: ReadonlyMap<string, ProgramSource>
  readonly #files: FileSystem
  readonly #allowed: ReadonlySet<string> | undefined

  /** `allow` lists names of programs and absolute paths of files. Default: all. */
  constructor(table: ReadonlyMap<string, ProgramSource>, files: FileSystem, allow?: Iterable<string>) {
    this.#table = table
    this.#files = files
    this.#allowed = allow === undefined ? undefined : new Set(allow)
  }

  get names(): ReadonlyArray<string> {
    return [...this.#table.keys()].filter((name) => this.#allowed?.has(name) ?? true)
  }

  forbids(name: string): boolean {
    return this.#allowed !== undefined && !this.#allowed.has(name) &&
      !this.#allowed.has(name.slice(name.lastIndexOf("/") + 1))
  }

  /** Returns the path that a name or path means, or an errno. */
  which(name: string, at: Directory, path: string = defaultPath): string | number {
    if (name === "" || name.includes("\0")) return -Errno.ENOENT
    if (name.includes("/")) return this.#executable(name, at)
    let refused: number = -Errno.ENOENT
    for (const folder of path.split(":")) {
      const found = this.#executable(`${folder === "" ? "." : folder.replace(/\/+$/, "")}/${name}`, at)
      if (typeof found === "string") return found
      if (found === -Errno.EACCES && !this.#isDirectory(`${folder}/${name}`, at)) refused = found
    }
    return refused
  }

  #isDirectory(path: string, at: Directory): boolean {
    const stat = this.#files.stat(at, path)
    return typeof stat === "object" && stat.type === FileType.directory
  }

  resolve({ directory, env, program }: ProgramRequest): ResolvedProgram | number {
    const path = this.which(program, directory, env.get("PATH"))
    return typeof path === "number" ? path : this.find(path, directory)
  }

  find(path: string, at: Directory, depth: number = 0): ResolvedProgram | number {
    const given = this.#given(path)
    if (given !== undefined) return { path, source: given, script: [] }
    const file = this.#files.open(at, path, { read: true })
    if (typeof file === "number") return file
    try {
      const stat = file.stat()
      if (typeof stat === "number") return stat
      const head = new Uint8Array(Math.min(headBytes, stat.size))
      const count = file.readAt(0, head)
      if (count < 0) return count
      if (head[0] === 0x23 && head[1] === 0x21) {
        return this.#interpreter(new TextDecoder().decode(head.subarray(0, count)), path, at, depth)
      }
      if (head[0] !== 0 || head[1] !== 0x61 || head[2] !== 0x73 || head[3] !== 0x6d) return -Errno.ENOEXEC
      if (stat.size > maxProgramBytes) return -Errno.ENOMEM
      const source = new Uint8Array(stat.size)
      for (let got = 0; got < source.length;) {
        const more = file.readAt(got, source.subarray(got))
        if (more <= 0) return -Errno.EIO
        got += more
      }
      return { path, source, script: [] }
    } finally {
      file.release()
    }
  }

  #interpreter(head: string, path: string, at: Directory, depth: number): ResolvedProgram | number {
    const [, name = "", argument] = /^#![ \t]*([^ \t\n]+)[ \t]*([^\n]*?)[ \t]*(?:\n|$)/.exec(head) ?? []
    if (name === "") return -Errno.ENOEXEC
    if (depth === maxInterpreterDepth) return -Errno.ELOOP
    const interpreter = this.#executable(name, at)
    if (typeof interpreter === "number") return interpreter
    const found = this.find(interpreter, at, depth + 1)
    if (typeof found === "number") return found
    return { ...found, script: [...found.script, ...argument ? [argument] : [], path] }
  }

  /** Returns the kernel's program at a path of {@link programFolders}. */
  #given(path: string): ProgramSource | undefined {
    const slash = path.lastIndexOf("/")
    return programFolders.has(path.slice(0, slash)) ? this.#table.get(path.slice(slash + 1)) : undefined
  }

  #executable(path: string, at: Directory): string | number {
    if (this.#given(path) !== undefined) {
      const allowed = this.#allowed?.has(path.slice(path.lastIndexOf("/") + 1)) ?? true
      return allowed ? path : -Errno.EACCES
    }
    const stat = this.#files.stat(at, path)
    if (typeof stat === "number") return stat
    if (stat.type !== FileType.regularFile || (stat.mode & 0o111) === 0) return -Errno.EACCES
    if (this.#allowed === undefined) return path
    return this.#allowed.has(this.#absolute(path, at)) ? path : -Errno.EACCES
  }

  /** Resolves the folders of a path. A symbolic link as the last name is not allowed by a list, as it may change. */
  #absolute(path: string, at: Directory): string {
    const slash = path.lastIndexOf("/")
    const folder = this.#files.directory(at, slash < 0 ? "." : path.slice(0, slash + 1))
    const stat = this.#files.stat(at, path, { follow: false })
    if (typeof folder === "number" || typeof stat === "number" || stat.type === FileType.symbolicLink) return ""
    return `${folder.path === "/" ? "" : folder.path}/${path.slice(slash + 1)}`
  }
}
