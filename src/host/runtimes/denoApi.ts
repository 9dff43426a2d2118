/** Declares the part of Deno's API that is used, so that the sources type-check on every runtime. */
export interface DenoChild {
  readonly pid: number
  readonly stdin: WritableStream<Uint8Array<ArrayBuffer>>
  readonly stdout: ReadableStream<Uint8Array<ArrayBuffer>>
  readonly stderr: ReadableStream<Uint8Array<ArrayBuffer>>
  readonly status: Promise<{ readonly code: number; readonly signal: string | null }>
  readonly kill: (signal: string) => void
  readonly ref: () => void
  readonly unref: () => void
}

interface PermissionQuery {
  readonly name: "run" | "read" | "env" | "ffi"
  readonly command?: string
}

interface DenoFileInfo {
  readonly isFile: boolean
  readonly isDirectory: boolean
  readonly isSymlink: boolean
  readonly mode: number | null
  readonly dev: number
  readonly ino: number | null
  readonly size: number
  readonly mtime: Date | null
}

/** The part of `Deno` that the leaf uses. */
export interface DenoApi {
  readonly Command: new (file: string, options: {
    readonly args: ReadonlyArray<string>
    readonly cwd?: string
    readonly env?: Readonly<Record<string, string>>
    readonly clearEnv?: boolean
    readonly stdin: "null" | "piped" | "inherit"
    readonly stdout: "null" | "piped" | "inherit"
    readonly stderr: "null" | "piped" | "inherit"
    readonly detached?: boolean
    readonly windowsRawArguments?: boolean
  }) => { readonly spawn: () => DenoChild }
  readonly build: { readonly os: string }
  readonly pid: number
  readonly env: { readonly toObject: () => Record<string, string>; readonly get: (name: string) => string | undefined }
  readonly cwd: () => string
  readonly lstatSync: (path: string) => DenoFileInfo
  readonly statSync: (path: string) => DenoFileInfo
  readonly realPathSync: (path: string) => string
  readonly readTextFileSync: (path: string) => string
  readonly readDirSync: (path: string) => Iterable<{ readonly name: string }>
  readonly kill: (pid: number, signal: string | 0) => void
  readonly addSignalListener: (signal: string, listener: () => void) => void
  readonly removeSignalListener: (signal: string, listener: () => void) => void
  readonly uid: () => number | null
  readonly permissions: { readonly querySync: (query: PermissionQuery) => { readonly state: string } }
}

const isDeno = (u: unknown): u is DenoApi =>
  typeof u === "object" && u !== null && "Command" in u && "permissions" in u && "build" in u

export const denoApi = (): DenoApi | undefined => {
  const deno: unknown = Reflect.get(globalThis, "Deno")
  return isDeno(deno) ? deno : undefined
}
