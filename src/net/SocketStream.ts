/** Reads and writes a socket with bounded buffers; unread bytes stay with the peer. */
import type * as NodeNet from "node:net"
import { concatBytes } from "../base/bytes.ts"

/** Bytes that are kept unread before the socket is paused. */
const maxUnread = 65_536

/** The two directions of a socket, each of which ends by itself. */
export class SocketStream {
  readonly #socket: NodeNet.Socket
  readonly #pieces: Array<Uint8Array> = []
  #unread = 0
  #hasEnded = false
  #isClosed = false
  #wake: (() => void) | undefined
  readonly #onClose: Array<() => void> = []
  /** Number of reads and writes so far, to detect a stalled socket. */
  transfers = 0

  constructor(socket: NodeNet.Socket) {
    this.#socket = socket
    socket.on("data", (piece: Uint8Array) => {
      this.transfers += 1
      this.#pieces.push(piece)
      this.#unread += piece.length
      if (this.#unread >= maxUnread) socket.pause()
      this.#wake?.()
    })
    socket.on("end", () => {
      this.#hasEnded = true
      this.#wake?.()
    })
    // The reason does not matter, because a broken socket has ended.
    socket.on("error", () => {})
    socket.on("close", () => {
      this.#hasEnded = true
      this.#isClosed = true
      this.#wake?.()
      for (const listener of this.#onClose.splice(0)) listener()
    })
  }

  /** Reads the next bytes; `undefined` at the end. One read at a time. */
  async read(): Promise<Uint8Array | undefined> {
    while (this.#pieces.length === 0) {
      if (this.#hasEnded) return undefined
      this.#socket.resume()
      await new Promise<void>((resolve) => this.#wake = resolve)
      this.#wake = undefined
    }
    const piece = this.#pieces.shift()
    this.#unread -= piece?.length ?? 0
    return piece
  }

  /**
   * Waits for at least a number of bytes, and keeps them in one piece to be read next; `undefined` if the stream ends before.
   */
  async peek(length: number): Promise<Uint8Array | undefined> {
    const pieces: Array<Uint8Array> = []
    let size = 0
    while (size < length) {
      const piece = await this.read()
      if (piece === undefined) return undefined
      pieces.push(piece)
      size += piece.length
    }
    const bytes = concatBytes(pieces, size)
    this.unread(bytes)
    return bytes
  }

  async readExactly(length: number): Promise<Uint8Array | undefined> {
    if (length === 0) return new Uint8Array()
    const bytes = await this.peek(length)
    if (bytes === undefined) return undefined
    await this.read()
    this.unread(bytes.subarray(length))
    return bytes.subarray(0, length)
  }

  unread(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    this.#pieces.unshift(bytes)
    this.#unread += bytes.length
  }

  /** Writes bytes; resolves when there is room for more: `false` when the peer takes no more. */
  async write(bytes: Uint8Array): Promise<boolean> {
    const socket = this.#socket
    if (this.#isClosed || socket.destroyed || !socket.writable) return false
    this.transfers += 1
    if (socket.write(bytes)) return true
    const hasRoom = await new Promise<boolean>((resolve) => {
      const drained = (): void => {
        this.#onClose.splice(this.#onClose.indexOf(closed), 1)
        resolve(true)
      }
      const closed = (): void => {
        socket.off("drain", drained)
        resolve(false)
      }
      socket.once("drain", drained)
      this.#onClose.push(closed)
    })
    this.transfers += 1
    return hasRoom
  }

  end(): Promise<void> {
    if (this.#isClosed || this.#socket.destroyed) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onClose.push(resolve)
      this.#socket.end(resolve)
    })
  }

  destroy(): void {
    this.#socket.destroy()
  }
}
