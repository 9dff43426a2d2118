/** Runs the same calls on just-bash of npm and on the adapter, and compares what they return. */
import { expect, it } from "vitest"
import * as theirs from "just-bash"
import * as ours from "../../src/just-bash/mod.ts"

interface Result {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

interface Stat {
  readonly isFile: boolean
  readonly isDirectory: boolean
  readonly isSymbolicLink: boolean
  readonly mode: number
  readonly size: number
  readonly mtime: Date
}

/** What the tests use of a file system. */
export interface Files {
  readonly readFile: (path: string, encoding?: "utf8" | "base64" | "hex" | "latin1") => Promise<string>
  readonly readFileBuffer: (path: string) => Promise<Uint8Array>
  readonly writeFile: (
    path: string,
    content: string | Uint8Array,
    encoding?: "base64" | "hex" | "latin1",
  ) => Promise<void>
  readonly appendFile: (path: string, content: string | Uint8Array) => Promise<void>
  readonly exists: (path: string) => Promise<boolean>
  readonly stat: (path: string) => Promise<Stat>
  readonly lstat: (path: string) => Promise<Stat>
  readonly mkdir: (path: string, options?: { readonly recursive?: boolean }) => Promise<void>
  readonly readdir: (path: string) => Promise<Array<string>>
  readonly rm: (path: string, options?: { readonly recursive?: boolean; readonly force?: boolean }) => Promise<void>
  readonly cp: (from: string, to: string, options?: { readonly recursive?: boolean }) => Promise<void>
  readonly mv: (from: string, to: string) => Promise<void>
  readonly chmod: (path: string, mode: number) => Promise<void>
  readonly utimes: (path: string, accessed: Date, modified: Date) => Promise<void>
  readonly symlink: (target: string, path: string) => Promise<void>
  readonly link: (from: string, to: string) => Promise<void>
  readonly readlink: (path: string) => Promise<string>
  readonly realpath: (path: string) => Promise<string>
  readonly resolvePath: (base: string, path: string) => string
  readonly getAllPaths: () => Array<string>
}

interface Context {
  readonly fs: Pick<Files, "exists">
  readonly cwd: string
  readonly env: Map<string, string>
  readonly stdin: string
  readonly exec?: ((script: string, options: { readonly cwd: string }) => Promise<Result>) | undefined
}

type Execute = (args: Array<string>, context: Context) => Promise<Result>

interface ExecOptions {
  args?: Array<string>
  cwd?: string
  env?: Record<string, string>
  rawScript?: boolean
  replaceEnv?: boolean
  signal?: AbortSignal
  stdin?: string
  stdinKind?: "text" | "bytes"
}

interface Bash {
  readonly fs: Files
  readonly exec: (
    script: string,
    options?: ExecOptions,
  ) => Promise<Result & { readonly env: Readonly<Record<string, string>> }>
  readonly readFile: (path: string) => Promise<string>
  readonly writeFile: (path: string, content: string) => Promise<void>
  readonly getCwd: () => string
  readonly getEnv: () => Record<string, string>
}

interface BashOptions {
  files?: Record<string, string | Uint8Array | { content: string; mode?: number; mtime?: Date }>
  env?: Record<string, string>
  cwd?: string
  executionLimits?: { maxExecutionTimeMs?: number }
  commands?: Array<"cat" | "echo">
  logger?: {
    readonly info: (message: string, data?: object) => void
    readonly debug: (message: string, data?: object) => void
  }
  overlayRoot?: string
}

/** A command of a sandbox. */
interface Command {
  readonly cmdId: string
  readonly cwd: string
  readonly startedAt: Date
  exitCode: number | undefined
  readonly logs: () => AsyncGenerator<{ readonly type: string; readonly data: string; readonly timestamp: Date }>
  readonly wait: () => Promise<Command>
  readonly output: () => Promise<string>
  readonly stdout: () => Promise<string>
  readonly stderr: () => Promise<string>
  readonly kill: () => Promise<void>
}

interface Sandbox {
  readonly domain: string | undefined
  readonly bashEnvInstance: Bash
  runCommand(
    params: { cmd: string; args?: Array<string>; cwd?: string; env?: Record<string, string>; detached?: boolean },
  ): Promise<Command>
  runCommand(command: string, args: Array<string>, options?: { signal?: AbortSignal }): Promise<Command>
  runCommand(command: string, options?: { cwd?: string; env?: Record<string, string> }): Promise<Command>
  readonly writeFiles: (
    files: Record<string, string | { content: string; encoding?: "utf-8" | "base64" }>,
  ) => Promise<void>
  readonly readFile: (path: string, encoding?: "utf-8" | "base64") => Promise<string>
  readonly mkDir: (path: string, options?: { recursive?: boolean }) => Promise<void>
  readonly stop: () => Promise<void>
  readonly extendTimeout: (milliseconds: number) => Promise<void>
}

/** One of the two packages. */
export interface Library {
  readonly bash: (options?: BashOptions, commands?: Readonly<Record<string, Execute>>) => Bash
  readonly sandbox: (options?: Omit<BashOptions, "files"> & { timeoutMs?: number }) => Promise<Sandbox>
}

const libraries: ReadonlyArray<Library> = [
  {
    bash: (options = {}, commands = {}) =>
      new theirs.Bash({
        ...options,
        // Bun has no loader hooks for it.
        defenseInDepth: false,
        customCommands: Object.entries(commands).map(([name, execute]) =>
          theirs.defineCommand(name, (args, context) => execute(args, { ...context, stdin: String(context.stdin) }))
        ),
      }),
    sandbox: (options) => theirs.Sandbox.create({ ...options, defenseInDepth: false }),
  },
  {
    bash: (options = {}, commands = {}) =>
      new ours.Bash({
        ...options,
        customCommands: Object.entries(commands).map(([name, execute]) => ours.defineCommand(name, execute)),
      }),
    sandbox: (options) => ours.Sandbox.create(options),
  },
]

/** The message of a rejection, or what was returned. */
export const outcome = async (work: () => unknown): Promise<unknown> => {
  try {
    return await work()
  } catch (error) {
    return error instanceof Error ? error.message : error
  }
}

/** Compares what a use returns on both packages, and with `expected`, which shows that the use is no mistake. */
export const same = (title: string, use: (library: Library) => Promise<unknown>, expected?: unknown): void =>
  it(title, async () => {
    const [first, second] = await Promise.all(libraries.map(use))
    expect(second).toEqual(first)
    if (expected !== undefined) expect(second).toEqual(expected)
  })
