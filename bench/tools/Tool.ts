/**
 * Declares the jobs of a tool: the same jobs for every tool, each done as the tool's own documentation says.
 *
 * @module
 */

/** A program and its arguments. Programs are absolute paths, because some tools replace `cat` and `true` by their own. */
export interface Command {
  readonly file: string
  readonly args: ReadonlyArray<string>
}

/**
 * Told the length of each piece as it arrives, in bytes or in UTF-16 units (the output is ASCII: it is the same).
 * A promise means: wait for it before you take the next piece.
 */
export type Meter = (length: number) => Promise<void> | undefined

/** One tool on one runtime. What is missing, the tool cannot do. */
export interface Tool {
  /** Runs the command `times` times, `concurrency` at once, with both outputs piped. */
  readonly spawn?: (
    command: Command,
    times: number,
    concurrency: number,
  ) => Promise<void>
  /** Streams the output as bytes. */
  readonly bytes?: (command: Command, meter: Meter) => Promise<void>
  /** Streams the output as lines, or as text of whole lines. */
  readonly lines?: (command: Command, meter: Meter) => Promise<void>
  /** The whole output in one string. */
  readonly text?: (command: Command) => Promise<string>
  /** Runs the command with a deadline, and SIGKILL after `grace` more where the tool knows how. Settles when it ended. */
  readonly timeout?: (
    command: Command,
    milliseconds: number,
    grace: number,
  ) => PromiseLike<unknown>
}

/** Calls `run` `times` times, `concurrency` at once. */
export const repeat = async (
  times: number,
  concurrency: number,
  run: () => PromiseLike<unknown>,
): Promise<void> => {
  let left = times
  const lane = async (): Promise<void> => {
    while (left-- > 0) await run()
  }
  await Promise.all(Array.from({ length: concurrency }, lane))
}

/** Bytes of a line of the writer's output, newline included. */
export const lineLength = 60

/** How many pieces of text did not end at the end of a line. */
export const partial: { count: number } = { count: 0 }

/** Reports text that should be whole lines. Looking at its last character also makes a lazily joined string real. */
export const meterText = (
  text: string,
  meter: Meter,
): Promise<void> | undefined => {
  if (text.charCodeAt(text.length - 1) !== 10) partial.count++
  return meter(text.length)
}

/** The floor of line reading: a streaming decoder, and a cut after the last newline of what was read. */
export const lineCutter = (
  meter: Meter,
): (bytes: Uint8Array | undefined) => Promise<void> | undefined => {
  const decoder = new TextDecoder()
  let rest = ""
  return (bytes) => {
    const text = bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true })
    const cut = bytes === undefined ? text.length : text.lastIndexOf("\n") + 1
    if (cut === 0 && bytes !== undefined) {
      rest += text
      return undefined
    }
    const whole = rest + text.slice(0, cut)
    rest = text.slice(cut)
    return whole === "" ? undefined : meterText(whole, meter)
  }
}

/** A Web stream of bytes, as much of it as is used here: the runtimes' declarations differ in the rest. */
export interface ByteStream {
  getReader(): {
    read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
  }
}

/** Reads a Web stream to its end. */
export const readAll = async (
  stream: ByteStream,
  each: (bytes: Uint8Array) => Promise<void> | undefined,
): Promise<void> => {
  const reader = stream.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done || value === undefined) return
    const wait = each(value)
    if (wait !== undefined) await wait
  }
}

/** Throws unless a command ended as it should, so that no measurement is of failures. */
export const expect = (ok: boolean, what: string): void => {
  if (!ok) throw new Error(`not as expected: ${what}`)
}

/** Iterates over lines without their newline, as most tools give them. */
export const meterLine = async (
  lines: AsyncIterable<string>,
  meter: Meter,
): Promise<void> => {
  for await (const line of lines) {
    const wait = meter(line.length + 1)
    if (wait !== undefined) await wait
  }
}
