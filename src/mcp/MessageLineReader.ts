/**
 * Splits bytes into lines, and returns an error for each line that is too long or no valid JSON-RPC message (MCP
 * 2025-11-25, Transports, "stdio").
 */
import * as Predicate from "effect/Predicate"
import { ByteBuffer } from "../base/ByteBuffer.ts"
import { batchText, maxBatchMessages } from "./batches.ts"

export interface MessageLineError {
  readonly code: -32700 | -32600
  readonly message: string
}

const newline = 0x0a

const messageText =
  'a message is a JSON object with "jsonrpc": "2.0"; a request has a method, and its id is a string or a number'

const isId = (id: unknown): boolean => typeof id === "string" || typeof id === "number"

/** A message with an id is a request or a response; an error response may have a null id. */
const isMessage = (value: unknown): boolean => {
  if (!Predicate.isObject(value) || !("jsonrpc" in value) || value.jsonrpc !== "2.0") return false
  if (!("id" in value) || "error" in value) return true
  return isId(value.id) && ("method" in value || "result" in value)
}

/** Maximum depth of objects and lists in a message: its readers are recursive. */
const maxDepth = 128

const isDeep = (message: unknown): boolean => {
  let level = [message]
  for (let depth = 0; depth <= maxDepth && level.length > 0; depth++) {
    level = level.flatMap((value) => Predicate.isObjectOrArray(value) ? Object.values(value) : [])
  }
  return level.length > 0
}

const problemOf = (line: string): MessageLineError | undefined => {
  try {
    const message: unknown = JSON.parse(line)
    if (Array.isArray(message) && message.length > maxBatchMessages) {
      return { code: -32_600, message: `mcp: ${batchText}` }
    }
    if (isDeep(message)) return { code: -32_600, message: `mcp: a message has at most ${maxDepth} levels` }
    const isValid = Array.isArray(message) ? message.every(isMessage) : isMessage(message)
    return isValid ? undefined : { code: -32_600, message: `mcp: ${messageText}` }
  } catch {
    return { code: -32_700, message: "mcp: a line is not JSON" }
  }
}

/** Splits bytes into lines of at most `maxBytes` and validates them. */
export class MessageLineReader {
  readonly #maxBytes: number
  #held: ByteBuffer

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
    this.#held = new ByteBuffer(maxBytes)
  }

  /** The lines that these bytes complete: each a message with its newline, or its error. Skips empty lines. */
  push(bytes: Uint8Array): Array<string | MessageLineError> {
    const lines: Array<string | MessageLineError> = []
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

  end(): Array<string | MessageLineError> {
    const line = this.#take()
    return line === undefined ? [] : [line]
  }

  #hold(bytes: Uint8Array): void {
    // A line that is too long is not kept.
    if (!this.#held.hasOverflowed) this.#held.push(bytes)
  }

  #take(): string | MessageLineError | undefined {
    const held = this.#held
    this.#held = new ByteBuffer(this.#maxBytes)
    if (held.hasOverflowed) return { code: -32_600, message: `mcp: a message has at most ${this.#maxBytes} bytes` }
    const line = new TextDecoder().decode(held.bytes)
    return line.trim() === "" ? undefined : problemOf(line) ?? `${line}\n`
  }
}
