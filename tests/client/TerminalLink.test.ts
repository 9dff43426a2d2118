/** Input of a terminal's client, over connections that are cut, with servers that count it and with old ones. */
import { afterEach, beforeEach, expect, it, vi } from "@effect/vitest"
import { TerminalLink } from "../../src/client/TerminalLink.ts"
import { decodeClientMessage, encodeServerMessage, type ServerMessage } from "../../src/wire/terminalMessages.ts"

const state: ServerMessage = {
  _tag: "State",
  state: { cols: 80, rows: 24, clients: 1, writable: true, newest: -1 },
}

/** The server's end of a connection. */
class FakeSocket {
  static readonly all: Array<FakeSocket> = []
  readyState = 0
  onopen: (() => void) | undefined
  onmessage: ((event: { readonly data: ArrayBuffer }) => void) | undefined
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | undefined
  readonly url: URL
  /** The bytes that were typed. */
  typed = ""

  constructor(url: string) {
    this.url = new URL(url)
    FakeSocket.all.push(this)
  }

  send(data: Uint8Array): void {
    const message = decodeClientMessage(data)
    if (message?._tag === "Input") this.typed += new TextDecoder().decode(message.bytes)
  }

  close(): void {
    this.readyState = 3
  }

  open(...messages: ReadonlyArray<ServerMessage>): Promise<unknown> {
    this.readyState = 1
    this.onopen?.()
    return this.says(...messages)
  }

  says(...messages: ReadonlyArray<ServerMessage>): Promise<unknown> {
    for (const message of messages) this.onmessage?.({ data: encodeServerMessage(message).buffer })
    return vi.advanceTimersByTimeAsync(200)
  }

  cut(): Promise<unknown> {
    this.readyState = 3
    this.onclose?.({ code: 1006, reason: "" })
    return vi.advanceTimersByTimeAsync(5_000)
  }
}

const newest = (): FakeSocket => {
  const socket = FakeSocket.all.at(-1)
  if (socket === undefined) throw new Error("no connection")
  return socket
}

const taken = (bytes: number): ServerMessage => ({ _tag: "Taken", bytes })

const attach = async () => {
  const lost: Array<number> = []
  const link = new TerminalLink({
    url: "ws://server/commands/1/terminal",
    ticket: () => Promise.resolve([]),
    onOutput: () => {},
    onInputLost: (bytes) => lost.push(bytes),
    onEnd: () => {},
    onFailure: (problem) => {
      throw new Error(problem)
    },
  })
  const type = (text: string): void => link.input(new TextEncoder().encode(text))
  await vi.advanceTimersByTimeAsync(0)
  return { link, lost, type }
}

/** Different at each place. */
const paste = Array.from({ length: 200_000 }, (_, at) => `${at}`.padStart(6, "0")).join("")

beforeEach(() => {
  FakeSocket.all.length = 0
  vi.useFakeTimers()
  vi.stubGlobal("WebSocket", FakeSocket)
})

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

it("holds a paste back until it is accepted, and continues there after a lost connection", async () => {
  const { link, lost, type } = await attach()
  const first = newest()
  await first.open(taken(0), state)
  type(paste)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(first.typed).toBe(paste.slice(0, 524_288))
  await first.says(taken(100_000))
  expect(first.typed).toBe(paste.slice(0, 624_288))
  await first.cut()
  type("after")
  const second = newest()
  expect(second.url.searchParams.get("client")).toBe(first.url.searchParams.get("client"))
  // More was taken than the client had heard.
  await second.open(taken(300_001), state)
  for (let at = 400_000; at <= paste.length; at += 400_000) await second.says(taken(at))
  expect(second.typed).toBe(`${paste.slice(300_001)}after`)
  expect(link.waitingInput).toBe(5)
  await second.says(taken(paste.length + 5))
  expect([link.waitingInput, lost]).toEqual([0, []])
  link.close()
})

it("sends a key at once, keys that follow together, and before it detaches all", async () => {
  const { link, type } = await attach()
  const socket = newest()
  await socket.open(taken(0), state)
  for (const key of "abc") type(key)
  expect(socket.typed).toBe("a")
  await vi.advanceTimersByTimeAsync(5)
  expect(socket.typed).toBe("abc")
  type("d")
  link.close()
  expect(socket.typed).toBe("abcd")
})

it("reports possible losses when a server does not know the client or no longer counts", async () => {
  for (const greeting of [[taken(3), state], [state]]) {
    const { link, lost, type } = await attach()
    await newest().open(taken(0), state)
    type("12345678")
    await newest().says(taken(5))
    await newest().cut()
    await newest().open(...greeting)
    type("next")
    expect([lost, newest().typed]).toEqual([[3], "next"])
    link.close()
  }
})

it("sends input to an old server without waiting, and drops input typed without a connection", async () => {
  const { link, lost, type } = await attach()
  const first = newest()
  await first.open(state)
  type(paste)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(first.typed).toBe(paste)
  await first.cut()
  type("nothing")
  const second = newest()
  await second.open(state)
  type("more")
  expect([second.typed, lost]).toEqual(["more", []])
  link.close()
})
