/** Declares the part of Bun's API that the leaf uses, so that the sources type-check on every runtime. */

/** `proc.stdin` of `Bun.spawn`. */
export interface BunFileSink {
  readonly write: (bytes: Uint8Array) => number | Promise<number>
  readonly flush: () => number | Promise<number>
  readonly end: () => number | Promise<number>
}

/** The terminal of a child of `Bun.spawn`. */
export interface BunTerminal {
  readonly closed: boolean
  readonly resize: (cols: number, rows: number) => void
  readonly close: () => void
}

interface BunTerminalOptions {
  readonly cols: number
  readonly rows: number
  readonly data: (terminal: unknown, bytes: Uint8Array) => void
  readonly exit: (terminal: BunTerminal) => void
}

export interface BunChild {
  readonly pid: number
  readonly stdin: BunFileSink | undefined | number | null
  readonly stdout: ReadableStream<Uint8Array> | undefined | number | null
  readonly stderr: ReadableStream<Uint8Array> | undefined | number | null
  readonly terminal?: BunTerminal | undefined
  readonly kill: (signal: string) => void
  readonly ref: () => void
  readonly unref: () => void
}

/** The part of `Bun` that the leaf uses. */
export interface BunApi {
  readonly spawn: (options: {
    readonly cmd: ReadonlyArray<string>
    readonly argv0?: string
    readonly cwd?: string
    readonly env?: Readonly<Record<string, string | undefined>>
    readonly stdin?: "ignore" | "pipe" | "inherit"
    readonly stdout?: "ignore" | "pipe" | "inherit"
    readonly stderr?: "ignore" | "pipe" | "inherit"
    readonly lazy?: boolean
    readonly detached?: boolean
    readonly windowsHide?: boolean
    readonly windowsVerbatimArguments?: boolean
    /** A terminal instead of pipes. */
    readonly terminal?: BunTerminalOptions
    readonly onExit: (child: unknown, code: number | null, signal: number | string | null) => void
  }) => BunChild
}

const isBun = (u: unknown): u is BunApi => typeof u === "object" && u !== null && "spawn" in u

export const bunApi = (): BunApi | undefined => {
  const bun: unknown = Reflect.get(globalThis, "Bun")
  return isBun(bun) ? bun : undefined
}

/** Signals a child that has not ended. */
export const killChild = (child: BunChild, signal: string): void => {
  try {
    child.kill(signal)
  } catch {
    // Bun knows no signal of this name.
  }
}
