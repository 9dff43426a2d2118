/**
 * A spawn by the API of the runtime the tests run on, with nothing of ours between: what it throws is the
 * runtime's own.
 */
import { spawn } from "node:child_process"

export interface RawOptions {
  readonly cwd?: string
  /** The whole environment. */
  readonly env?: Readonly<Record<string, string>>
}

export interface RawResult {
  readonly exitCode: number | null
  /** Stdout and stderr, one after the other. */
  readonly output: string
}

interface DenoCommand {
  readonly Command: new (file: string, options: {
    readonly args: ReadonlyArray<string>
    readonly cwd?: string
    readonly env?: Readonly<Record<string, string>>
    readonly clearEnv: boolean
    readonly stdin: "null"
  }) => {
    readonly output: () => Promise<{ readonly code: number; readonly stdout: Uint8Array; readonly stderr: Uint8Array }>
  }
}

interface BunSpawn {
  readonly spawn: (cmd: ReadonlyArray<string>, options: {
    readonly cwd?: string
    readonly env?: Readonly<Record<string, string>>
    readonly stdin: "ignore"
    readonly stdout: "pipe"
    readonly stderr: "pipe"
  }) => {
    readonly stdout: ReadableStream<Uint8Array>
    readonly stderr: ReadableStream<Uint8Array>
    readonly exited: Promise<number>
  }
}

const isDeno = (u: unknown): u is DenoCommand => typeof u === "object" && u !== null && "Command" in u
const isBun = (u: unknown): u is BunSpawn => typeof u === "object" && u !== null && "spawn" in u

const deno: unknown = Reflect.get(globalThis, "Deno")
const bun: unknown = Reflect.get(globalThis, "Bun")

export const runtime: "deno" | "bun" | "node" = isDeno(deno) ? "deno" : isBun(bun) ? "bun" : "node"

const text = (...bytes: ReadonlyArray<Uint8Array>) => bytes.map((b) => new TextDecoder().decode(b)).join("")

export const rawSpawn = async (
  file: string,
  args: ReadonlyArray<string> = [],
  options: RawOptions = {},
): Promise<RawResult> => {
  if (isDeno(deno)) {
    const child = new deno.Command(file, { args, ...options, clearEnv: options.env !== undefined, stdin: "null" })
    const { code, stderr, stdout } = await child.output()
    return { exitCode: code, output: text(stdout, stderr) }
  }
  if (isBun(bun)) {
    const child = bun.spawn([file, ...args], { ...options, stdin: "ignore", stdout: "pipe", stderr: "pipe" })
    const output = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    return { exitCode: await child.exited, output: output.join("") }
  }
  return await new Promise((resolve, reject) => {
    const child = spawn(file, args, { ...options, stdio: ["ignore", "pipe", "pipe"] })
    const chunks: Array<Uint8Array> = []
    child.on("error", reject)
    child.stdout?.on("data", (chunk: Uint8Array) => chunks.push(chunk))
    child.stderr?.on("data", (chunk: Uint8Array) => chunks.push(chunk))
    child.on("close", (exitCode) => resolve({ exitCode, output: text(...chunks) }))
  })
}

/** What the runtime throws when it is asked to start this; fails when it starts. */
export const rawSpawnError = async (
  file: string,
  args: ReadonlyArray<string> = [],
  options: RawOptions = {},
): Promise<unknown> => {
  const outcome = await rawSpawn(file, args, options).then((value) => ({ value }), (error: unknown) => ({ error }))
  if ("error" in outcome) return outcome.error
  throw new Error(`it started: ${JSON.stringify(outcome.value)}`)
}
