/**
 * Messages, one a line, out of bytes as they come.
 *
 * Source: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 *
 * @module
 */
import * as Predicate from "effect/Predicate"

/** What is wrong with a line, as JSON-RPC tells it. */
export interface LineProblem {
  readonly code: -32700 | -32600
  readonly message: string
}

const newline = 0x0a

const problemOf = (line: string): LineProblem | undefined => {
  try {
    const message: unknown = JSON.parse(line)
    const isMessage = Array.isArray(message) ? message.every(Predicate.isObject) : Predicate.isObject(message)
    return isMessage ? undefined : { code: -32_600, message: "mcp: a message is a JSON object" }
  } catch {
    return { code: -32_700, message: "mcp: a line is not JSON" }
  }
}

/** Cuts bytes into lines, and sorts out those that are no messages; a line has at most `maxBytes`. */
export class MessageLines {
  readonly #maxBytes: number
  #held: Array<Uint8Array> = []
  #size = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The lines that bytes complete: a message with its newline, or what is wrong with it. Empty lines are nothing. */
  push(bytes: Uint8Array): Array<string | LineProblem> {
    const lines: Array<string | LineProblem> = []
    let from = 0
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, from)) {
      this.#hold(bytes.subarray(from, end))
      const line = this.#take()
      if (line !== undefined) lines.push(line)
      from = end + 1
    }
    this.#hold(bytes.subarray(from))
    return lines
  }

  #hold(bytes: Uint8Array): void {
    this.#size += bytes.length
    if (this.#size > this.#maxBytes) this.#held = []
    else if (bytes.length > 0) this.#held.push(bytes.slice())
  }

  #take(): string | LineProblem | undefined {
    const size = this.#size
    const held = this.#held
    this.#size = 0
    this.#held = []
    if (size > this.#maxBytes) {
      return { code: -32_600, message: `mcp: a message has at most ${this.#maxBytes} bytes` }
    }
    const decoder = new TextDecoder()
    const line = held.map((piece) => decoder.decode(piece, { stream: true })).join("") + decoder.decode()
    return line.trim() === "" ? undefined : problemOf(line) ?? `${line}\n`
  }
}
