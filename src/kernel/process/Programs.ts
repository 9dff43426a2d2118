/**
 * Finds the program that a name or path means, among the kernel's programs and the files of the file system.
 *
 * Source: execve(2), execvp(3).
 *
 * @module
 */
import { Errno } from "../Errno.ts"
import type { FileSystem } from "../FileSystem.ts"
import type { Directory } from "../OpenFile.ts"
import { FileType } from "../Stat.ts"
import type { Program } from "../System.ts"

/** A compiled WASI module, or its bytes. */
export type ModuleSource = WebAssembly.Module | Uint8Array<ArrayBuffer>

/**
 * Where WASM runs: `"none"`, in place, in turn with everything else; `"worker"`, in a thread of its own that is ended
 * even while it computes and makes no call. It then takes 15 to 100 ms to start, and 15 to 35 µs for each call.
 *
 * @example
 * ```ts
 * import { Sandbox } from "@sluice/shell/sandbox"
 * import { Effect } from "effect"
 *
 * // (module (memory 1) (func (export "_start") (loop (br 0))))
 * const forever = Uint8Array.from(
 *   atob("AGFzbQEAAAABBAFgAAADAgEABQMBAAEHCgEGX3N0YXJ0AAAKCQEHAANADAALCw=="),
 *   (character) => character.charCodeAt(0),
 * )
 *
 * const program = Effect.gen(function* () {
 *   const sandbox = yield* Sandbox.make({ programs: { forever: { source: forever, isolate: "worker" } } })
 *   return yield* sandbox.run("timeout 0.1 forever; echo $?")
 * })
 * const { stdout } = await Effect.runPromise(Effect.scoped(program))
 * console.assert(stdout === "124\n")
 * ```
 */
export type Isolation = "none" | "worker"

/**
 * The folders that a WASI program is given at its start, from descriptor 3 on: paths by the names under which the program
 * knows them. A relative path starts at the program's working directory. Nothing outside of them can be reached, so
 * without `"/"` a program has only what is named; a folder that is not there is the program's fault.
 *
 * Source: wasi_snapshot_preview1, `prestat`.
 *
 * @example
 * ```ts
 * import { Sandbox } from "@sluice/shell/sandbox"
 * import { Effect } from "effect"
 *
 * // (import "wasi_snapshot_preview1" "path_open" …): makes `made` in the folder of descriptor 3, and exits with the errno.
 * const touch = Uint8Array.from(
 *   atob(
 *     "AGFzbQEAAAABFQNgCX9/f39/fn5/fwF/YAF/AGAAAAJHAhZ3YXNpX3NuYXBzaG90X3ByZXZpZXcxCXBhdGhfb3BlbgAAFndhc2lfc25h" +
 *     "cHNob3RfcHJldmlldzEJcHJvY19leGl0AAEDAgECBQMBAAEHEwIGX3N0YXJ0AAIGbWVtb3J5AgAKGgEYAEEDQQBBAEEEQQFCAEIAQQBB" +
 *     "CBAAEAELCwoBAEEACwRtYWRl",
 *   ),
 *   (character) => character.charCodeAt(0),
 * )
 *
 * const program = Effect.gen(function* () {
 *   const sandbox = yield* Sandbox.make({
 *     programs: { touch: { source: touch, preopens: { data: "/srv/data" } } },
 *     files: { "/srv/data/": "" },
 *   })
 *   return yield* sandbox.run("touch; echo $?; ls /srv/data")
 * })
 * const { stdout } = await Effect.runPromise(Effect.scoped(program))
 * console.assert(stdout === "0\nmade\n")
 * ```
 */
export type Preopens = Readonly<Record<string, string>>

/** A WASI program, where it runs, and what it is given. */
export interface WasmSource {
  /** The program itself. */
  readonly source: ModuleSource
  /** Default: as the kernel says. In a worker it must be bytes, and without threads of its own. */
  readonly isolate?: Isolation | undefined
  /** Default: as the kernel says. */
  readonly preopens?: Preopens | undefined
}

/** A program: in TypeScript, a compiled WASI module, its bytes, or one of both with where it runs. */
export type ProgramSource = Program | ModuleSource | WasmSource

/** Whether a source says where it runs. */
export const isWasmSource = (source: ProgramSource): source is WasmSource =>
  typeof source === "object" && !(source instanceof Uint8Array) && "source" in source

/** A program that was found. */
export interface ResolvedProgram {
  readonly path: string
  readonly source: ProgramSource
  /** What goes before the arguments after the first: an interpreter's own, and the script. */
  readonly script: ReadonlyArray<string>
}

/** Where programs that were given to the kernel seem to be. */
export const programFolders: ReadonlySet<string> = new Set(["/bin", "/usr/bin"])
const defaultPath = "/usr/local/bin:/usr/bin:/bin"

/** Bytes of a file that tell what it is. Source: execve(2) "Interpreter scripts". */
const headBytes = 256
/** Bytes of a program file at most: it is read whole, and a file may be a large one without having many bytes. */
const mostBytes = 268_435_456
/** A script's interpreter may be a script, so many times. */
const deepest = 4

/** The table of programs, the file system behind it, and what of both is allowed. */
export class Programs {
  readonly #table: ReadonlyMap<string, ProgramSource>
  readonly #files: FileSystem
  readonly #allowed: ReadonlySet<string> | undefined

  /** `allow` lists names of the table and absolute paths of files; without it everything is allowed. */
  constructor(table: ReadonlyMap<string, ProgramSource>, files: FileSystem, allow?: Iterable<string>) {
    this.#table = table
    this.#files = files
    this.#allowed = allow === undefined ? undefined : new Set(allow)
  }

  /** Names of the programs that were given and may start. */
  get names(): ReadonlyArray<string> {
    return [...this.#table.keys()].filter((name) => this.#allowed?.has(name) ?? true)
  }

  /** Whether the list of what is allowed leaves a name or path out. */
  forbids(name: string): boolean {
    return this.#allowed !== undefined && !this.#allowed.has(name) &&
      !this.#allowed.has(name.slice(name.lastIndexOf("/") + 1))
  }

  /** The path of a name or path, or an errno. */
  which(name: string, at: Directory, path: string = defaultPath): string | number {
    if (name === "" || name.includes("\0")) return -Errno.ENOENT
    if (name.includes("/")) return this.#executable(name, at)
    let refused: number = -Errno.ENOENT
    for (const folder of path.split(":")) {
      const found = this.#executable(`${folder === "" ? "." : folder.replace(/\/+$/, "")}/${name}`, at)
      if (typeof found === "string") return found
      if (found === -Errno.EACCES) refused = found
    }
    return refused
  }

  /** The program at a path that {@link which} gave. */
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
      if (stat.size > mostBytes) return -Errno.ENOMEM
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
    if (depth === deepest) return -Errno.ELOOP
    const interpreter = this.#executable(name, at)
    if (typeof interpreter === "number") return interpreter
    const found = this.find(interpreter, at, depth + 1)
    if (typeof found === "number") return found
    return { ...found, script: [...found.script, ...argument ? [argument] : [], path] }
  }

  /** A program of the table, when the path is one where those seem to be. */
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

  /** Where a path leads, as far as folders go: a link as the last name is refused by a list, as it may change. */
  #absolute(path: string, at: Directory): string {
    const slash = path.lastIndexOf("/")
    const folder = this.#files.directory(at, slash < 0 ? "." : path.slice(0, slash + 1))
    const stat = this.#files.stat(at, path, { follow: false })
    if (typeof folder === "number" || typeof stat === "number" || stat.type === FileType.symbolicLink) return ""
    return `${folder.path === "/" ? "" : folder.path}/${path.slice(slash + 1)}`
  }
}
