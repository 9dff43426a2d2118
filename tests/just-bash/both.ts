/** Runs the same calls on just-bash of npm and on the adapter, and compares what they return. */
import { expect, it } from "vitest"
import * as theirs from "just-bash"
import * as ours from "../../src/just-bash/mod.ts"

interface Result {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

/** What the tests use of a file system. */
export interface Files {
  readonly readFile: (path: string) => Promise<string>
  readonly writeFile: (path: string, content: string | Uint8Array) => Promise<void>
  readonly exists: (path: string) => Promise<boolean>
  readonly mkdir: (path: string, options: { readonly recursive: true }) => Promise<void>
  readonly readdir: (path: string) => Promise<Array<string>>
  readonly rm: (path: string, options?: { readonly recursive?: boolean; readonly force?: boolean }) => Promise<void>
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
}

/** One of the two packages. */
export interface Library {
  readonly bash: (options?: BashOptions, commands?: Readonly<Record<string, Execute>>) => Bash
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
  },
  {
    bash: (options = {}, commands = {}) =>
      new ours.Bash({
        ...options,
        customCommands: Object.entries(commands).map(([name, execute]) => ours.defineCommand(name, execute)),
      }),
  },
]

/** Compares what a use returns on both packages, and with `expected`, which shows that the use is no mistake. */
export const same = (title: string, use: (library: Library) => Promise<unknown>, expected?: unknown): void =>
  it(title, async () => {
    const [first, second] = await Promise.all(libraries.map(use))
    expect(second).toEqual(first)
    if (expected !== undefined) expect(second).toEqual(expected)
  })
