/**
 * Encodes and decodes the binary messages of a terminal's WebSocket: input, sizes, signals and acknowledgements to the
 * server; output with its position, the state of the terminal and its end to the client.
 *
 * A message is one byte for its kind and a payload; numbers are big endian. It imports only `bytes.ts`, so that the
 * console's page loads nothing else with it.
 */
import { encodeUtf8, viewOf } from "../base/bytes.ts"

export const terminalProtocol = "sluice.terminal.1"

/** Prefix of the subprotocol that carries the ticket: a browser can set no header, and addresses are logged. */
export const ticketPrefix = "sluice.ticket."

/** Parameter with a random name of the client, for all its connections: the server counts its input in `Taken`. */
export const clientParameter = "client"

export const maxInputBytes = 65_536

/** Maximum output, in UTF-16 units, that a server sends before the client has acknowledged it. */
export const maxUnacknowledged = 1_048_576

/** Status codes with which a server closes a terminal's WebSocket; RFC 6455 leaves 4000 to 4999 to applications. */
export const closeCodes: {
  readonly ended: 1000
  readonly goingAway: 1001
  readonly invalid: 1007
  readonly forbidden: 1008
  readonly tooLarge: 1009
  readonly failed: 1011
  readonly silent: 4408
  readonly slow: 4413
  readonly tooMany: 4429
} = {
  ended: 1000,
  goingAway: 1001,
  invalid: 1007,
  forbidden: 1008,
  tooLarge: 1009,
  failed: 1011,
  silent: 4408,
  slow: 4413,
  tooMany: 4429,
}

export interface TerminalState {
  readonly cols: number
  readonly rows: number
  readonly clients: number
  /** Whether this client may type, resize and signal. */
  readonly writable: boolean
  /** Position of the newest output, which may not have been sent yet; -1 before the first. */
  readonly newest: number
}

export type ServerMessage =
  | { readonly _tag: "Output"; readonly position: number; readonly text: string }
  /** The last event of the command as JSON: a `ShellOutput` or a `ShellFault`. */
  | { readonly _tag: "End"; readonly position: number; readonly event: string }
  | { readonly _tag: "State"; readonly state: TerminalState }
  /** Answered with an acknowledgement. */
  | { readonly _tag: "Ping" }
  /** A problem (RFC 9457) as JSON, with the reason why the output cannot be read further. */
  | { readonly _tag: "Problem"; readonly problem: string }
  /** Bytes of input that the command has taken from this client, on all of its connections. Sent to clients with a name. */
  | { readonly _tag: "Taken"; readonly bytes: number }

export type ClientMessage =
  | { readonly _tag: "Input"; readonly bytes: Uint8Array }
  | { readonly _tag: "Resize"; readonly cols: number; readonly rows: number }
  | { readonly _tag: "Signal"; readonly signal: string }
  /** The client has processed the output up to this position; -1 for none. */
  | { readonly _tag: "Acknowledge"; readonly position: number }

const kinds = {
  Output: 1,
  End: 2,
  State: 3,
  Ping: 4,
  Problem: 5,
  Taken: 6,
  Input: 16,
  Resize: 17,
  Signal: 18,
  Acknowledge: 19,
} as const

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const positionBytes = 8

const withText = (kind: number, text: string): Uint8Array<ArrayBuffer> => {
  const bytes = encodeUtf8(text)
  const message = new Uint8Array(1 + bytes.length)
  message[0] = kind
  message.set(bytes, 1)
  return message
}

const withPosition = (kind: number, position: number, text = ""): Uint8Array<ArrayBuffer> => {
  const bytes = encodeUtf8(text)
  const message = new Uint8Array(1 + positionBytes + bytes.length)
  message[0] = kind
  new DataView(message.buffer).setBigInt64(1, BigInt(position))
  message.set(bytes, 1 + positionBytes)
  return message
}

const positionOf = (bytes: Uint8Array): number | undefined => {
  if (bytes.length < 1 + positionBytes) return undefined
  const position = Number(viewOf(bytes).getBigInt64(1))
  return Number.isSafeInteger(position) && position >= -1 ? position : undefined
}

const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

export const encodeServerMessage = (message: ServerMessage): Uint8Array<ArrayBuffer> => {
  switch (message._tag) {
    case "Output":
      return withPosition(kinds.Output, message.position, message.text)
    case "End":
      return withPosition(kinds.End, message.position, message.event)
    case "State":
      return withText(kinds.State, JSON.stringify(message.state))
    case "Problem":
      return withText(kinds.Problem, message.problem)
    case "Taken":
      return withPosition(kinds.Taken, message.bytes)
    case "Ping":
      return new Uint8Array([kinds.Ping])
  }
}

export const encodeClientMessage = (message: ClientMessage): Uint8Array<ArrayBuffer> => {
  switch (message._tag) {
    case "Input": {
      const bytes = new Uint8Array(1 + message.bytes.length)
      bytes[0] = kinds.Input
      bytes.set(message.bytes, 1)
      return bytes
    }
    case "Resize": {
      const bytes = new Uint8Array(5)
      bytes[0] = kinds.Resize
      const view = new DataView(bytes.buffer)
      view.setUint16(1, message.cols)
      view.setUint16(3, message.rows)
      return bytes
    }
    case "Signal":
      return withText(kinds.Signal, message.signal)
    case "Acknowledge":
      return withPosition(kinds.Acknowledge, message.position)
  }
}

const isState = (u: unknown): u is TerminalState =>
  typeof u === "object" && u !== null && "cols" in u && typeof u.cols === "number" && "rows" in u &&
  typeof u.rows === "number" && "clients" in u && typeof u.clients === "number" && "writable" in u &&
  typeof u.writable === "boolean" && "newest" in u && typeof u.newest === "number"

const parseState = (text: string | undefined): TerminalState | undefined => {
  try {
    const value: unknown = JSON.parse(text ?? "")
    return isState(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Decodes a message of a server; `undefined` for one that is malformed or of an unknown kind. */
export const decodeServerMessage = (bytes: Uint8Array): ServerMessage | undefined => {
  const kind = bytes[0]
  if (kind === kinds.Ping) return { _tag: "Ping" }
  if (kind === kinds.State) {
    const state = parseState(textOf(bytes.subarray(1)))
    return state && { _tag: "State", state }
  }
  if (kind === kinds.Problem) {
    const problem = textOf(bytes.subarray(1))
    return problem === undefined ? undefined : { _tag: "Problem", problem }
  }
  const position = positionOf(bytes)
  if (kind === kinds.Taken) {
    return position === undefined || position < 0 ? undefined : { _tag: "Taken", bytes: position }
  }
  if (kind !== kinds.Output && kind !== kinds.End) return undefined
  const text = textOf(bytes.subarray(1 + positionBytes))
  if (position === undefined || text === undefined) return undefined
  return kind === kinds.Output ? { _tag: "Output", position, text } : { _tag: "End", position, event: text }
}

/** Decodes a message of a client; `undefined` for one that is malformed or of an unknown kind. */
export const decodeClientMessage = (bytes: Uint8Array): ClientMessage | undefined => {
  switch (bytes[0]) {
    case kinds.Input:
      return { _tag: "Input", bytes: bytes.subarray(1) }
    case kinds.Resize: {
      if (bytes.length !== 5) return undefined
      const view = viewOf(bytes)
      const cols = view.getUint16(1)
      const rows = view.getUint16(3)
      return cols > 0 && rows > 0 ? { _tag: "Resize", cols, rows } : undefined
    }
    case kinds.Signal: {
      const signal = textOf(bytes.subarray(1))
      return signal !== undefined && /^SIG[A-Z0-9]{1,10}$/.test(signal) ? { _tag: "Signal", signal } : undefined
    }
    case kinds.Acknowledge: {
      const position = positionOf(bytes)
      return position === undefined || bytes.length !== 1 + positionBytes
        ? undefined
        : { _tag: "Acknowledge", position }
    }
    default:
      return undefined
  }
}
